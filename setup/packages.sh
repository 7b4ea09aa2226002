# What the host must have: each need is a program or file, and the Debian package that brings it.

needs_always=(
    crun=crun runc=runc btrfs=btrfs-progs mmdebstrap=mmdebstrap unshare=util-linux nsenter=util-linux losetup=mount
    gcc=gcc make=make mvn=maven '/usr/lib/*/libc.a=libc6-dev'
)
needs_of_bench=(socat=socat)
needs_of_tests=(socat=socat node=nodejs npm=npm ip=iproute2 tmux=tmux zsh=zsh fish=fish mkfs.xfs=xfsprogs python3=python3 git=git skopeo=skopeo docker-registry=docker-registry)
runsc_oldest=20240729

PATH=$PATH:/usr/sbin:/sbin

as_root() {
    if [ "$EUID" = 0 ]; then
        "$@"
    elif command -v sudo > /dev/null; then
        sudo "$@"
    else
        fail "This needs root: $*" "Run it as root, or install sudo."
    fi
}

# Prints the packages that are missing for the given needs.
missing() {
    local need
    for need in "$@"; do
        case $need in
            /*) compgen -G "${need%=*}" > /dev/null || printf '%s\n' "${need#*=}" ;;
            *) command -v "${need%=*}" > /dev/null || printf '%s\n' "${need#*=}" ;;
        esac
    done | sort -u
}

runsc_fits() {
    local version
    version=$(runsc --version 2> /dev/null | sed -n 's/^runsc version .*\(20[0-9]\{6\}\).*/\1/p')
    [ "${version:-0}" -ge "$runsc_oldest" ]
}

# Installs what is missing; with "no" as the first argument it only lists that and fails.
packages() {
    local install=$1 packages runsc=
    shift
    mapfile -t packages < <(missing "$@")
    runsc_fits || runsc=runsc
    [ ${#packages[@]} -gt 0 ] || [ -n "$runsc" ] || return 0
    if [ ${#packages[@]} -eq 0 ] && { [ "$install" = no ] || ! command -v apt-get > /dev/null; }; then
        without_runsc
        return
    fi
    if [ "$install" = no ]; then
        fail "Missing on this machine: ${packages[*]} ${runsc:+runsc (at least $runsc_oldest)}" \
            "Install them, or run without --no-install."
    fi
    if ! command -v apt-get > /dev/null; then
        fail "Missing on this machine, which has no apt: ${packages[*]} ${runsc:+runsc (at least $runsc_oldest)}" \
            "The names are Debian's; install what your distribution has for them and try again."
    fi
    refresh_lists
    if [ ${#packages[@]} -gt 0 ]; then
        say "Installing ${packages[*]} ..."
        install "${packages[@]}" || fail "The packages could not be installed." "See apt's messages above."
    fi
    [ -z "$runsc" ] || install_runsc || without_runsc
}

apt_get() { as_root env DEBIAN_FRONTEND=noninteractive apt-get -qq -o Dpkg::Use-Pty=0 -o APT::Color=0 "$@" >&2; }

# The second try is with fresh lists: those of a machine that sleeps for months name files that are gone.
install() {
    apt_get install -y --no-install-recommends "$@" || { apt_get update && apt_get install -y --no-install-recommends "$@"; }
}

refresh_lists() {
    compgen -G '/var/lib/apt/lists/*Packages*' > /dev/null && return
    say "Fetching the package lists ..."
    apt_get update || fail "The package lists could not be fetched." "Check the network and the apt sources."
}

without_runsc() {
    say "warning: there is no runsc of at least $runsc_oldest: the runtime gvisor is not available here," \
        "and sandboxes run as containers"
}

# The distribution's own runsc may be too old. Its backports are then asked, through apt settings of our own in a
# temporary directory that follow the host's sources, so that nothing on the host changes but the package.
install_runsc() {
    local suite candidate work
    candidate=$(apt-cache policy runsc 2> /dev/null | sed -n 's/^ *Candidate: //p')
    if dpkg --compare-versions "${candidate:-0}" ge "0.0~$runsc_oldest"; then
        say "Installing runsc ..."
        install runsc && runsc_fits
        return
    fi
    # shellcheck disable=SC1091
    suite=$(. /etc/os-release && printf '%s' "${VERSION_CODENAME:-}")
    say "Installing runsc from ${suite}-backports ..."
    work=$(mktemp -d)
    chmod 755 "$work"
    mkdir -p "$work/sources" "$work/lists/partial"
    backports "$suite" > "$work/sources/backports.sources"
    [ -s "$work/sources/backports.sources" ] &&
        apt_in "$work" update && apt_in "$work" install -y --no-install-recommends -t "${suite}-backports" runsc
    rm -rf "$work"
    runsc_fits
}

apt_in() {
    local work=$1
    shift
    apt_get -o Dir::Etc::SourceList=/dev/null -o Dir::Etc::SourceParts="$work/sources" -o Dir::State::Lists="$work/lists" \
        -o Dir::Cache::PkgCache= -o Dir::Cache::SrcPkgCache= "$@"
}

# The host's own apt sources of a suite, once as they are and once for its backports, in the deb822 form.
backports() {
    local suite=$1 file
    for file in /etc/apt/sources.list.d/*.sources; do
        [ ! -r "$file" ] || awk -v RS= -v suite="$suite" '
            $0 ~ "(^|\n)Types:[^\n]*deb" && $0 ~ "(^|\n)Suites:([^\n]*[ \t])?" suite "([ \t\n]|$)" {
                gsub(/(^|\n)Suites:[^\n]*/, "\nSuites: " suite " " suite "-backports"); print; print "" }' "$file"
    done
    for file in /etc/apt/sources.list /etc/apt/sources.list.d/*.list; do
        [ ! -r "$file" ] || awk -v suite="$suite" '
            $1 == "deb" {
                options = ""; uri = 2
                if ($2 ~ /^\[/) { while ($uri !~ /\]$/) { options = options " " $uri; uri++ } options = options " " $uri; uri++ }
                if ($(uri + 1) != suite) next
                print "Types: deb\nURIs: " $uri "\nSuites: " suite " " suite "-backports\nComponents: main"
                if (match(options, /signed-by=[^] ]+/)) print "Signed-By: " substr(options, RSTART + 10, RLENGTH - 10)
                if (options ~ /trusted=yes/) print "Trusted: yes"
                print "" }' "$file"
    done
}
