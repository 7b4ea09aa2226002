# Before every script of a component.
install_packages() {
    if dpkg-query -W -f='${db:Status-Status}\n' "$@" 2>/dev/null | grep -c '^installed$' | grep -qx "$#"; then
        echo "$* is there already"
        return
    fi
    # apt gives lists the time of the server: only that of the change tells when they came
    if [ -z "$(find /var/lib/apt/lists -maxdepth 1 -name '*Packages*' -cmin -720 -print -quit 2>/dev/null)" ] || ! apt_install "$@"; then
        apt-get -q -o Acquire::Retries=3 update
        apt_install "$@"
    fi
    apt-get clean
}
apt_install() {
    apt-get -q -y -o Acquire::Retries=3 -o Dpkg::Use-Pty=0 install --no-install-recommends "$@"
}
npm_package() { # NAME VERSION DIRECTORY: unpacks a package of the host's registry, after its digest was checked
    if [ -z "${npm_config_registry:-}" ]; then
        echo "The host uses no npm registry, so $1 cannot be fetched." >&2
        return 1
    fi
    python3 - "$1" "$2" "$3" <<'PYTHON'
import base64, hashlib, io, json, os, sys, tarfile, urllib.error, urllib.request
name, version, directory = sys.argv[1:]
registry = os.environ["npm_config_registry"].rstrip("/")
def get(url):
    for attempt in (1, 2, 3):
        try:
            with urllib.request.urlopen(url, timeout=120) as answer:
                return answer.read()
        except urllib.error.HTTPError as refused:
            if refused.code < 500 or attempt == 3:
                sys.exit(f"could not reach {url}: {refused}")
        except OSError as problem:
            if attempt == 3:
                sys.exit(f"could not reach {url}: {problem}")
facts = json.loads(get(f"{registry}/{name}/{version}"))["dist"]
content = get(facts["tarball"])
kind, _, digest = facts["integrity"].partition("-")
if kind not in ("sha512", "sha384", "sha256") or base64.b64encode(hashlib.new(kind, content).digest()).decode() != digest:
    sys.exit(f"{facts['tarball']} is not what the registry says it is")
with tarfile.open(fileobj=io.BytesIO(content)) as package:
    for member in package.getmembers():
        member.name = member.name.partition("/")[2]
        if member.name and not os.path.isabs(member.name) and ".." not in member.name.split("/"):
            package.extract(member, directory)
PYTHON
}
