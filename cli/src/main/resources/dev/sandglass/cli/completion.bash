# Completion of sandglass for bash; load it with: source <(sandglass completion bash)
_sandglass() {
    local line=${COMP_LINE:0:COMP_POINT} words current lines flags shown
    read -ra words <<< "$line"
    [[ $line != *[[:space:]] ]] || words+=("")
    current=${words[${#words[@]} - 1]}
    mapfile -t lines < <("${words[0]/#\~/$HOME}" __complete -- "${words[@]:1}" 2> /dev/null)
    COMPREPLY=()
    [ ${#lines[@]} -gt 0 ] || return 0
    flags=${lines[${#lines[@]} - 1]}
    unset "lines[${#lines[@]} - 1]"
    # Readline takes a colon or an equals sign for the beginning of a word, so only what follows is replaced.
    shown=${current##*[:=]}
    shown=${current%"$shown"}
    COMPREPLY=("${lines[@]#"$shown"}")
    if [[ $flags == *f* ]]; then
        compopt -o filenames
        mapfile -t -O "${#COMPREPLY[@]}" COMPREPLY < <(compgen -f -- "$current")
    fi
    [[ $flags != *n* ]] || compopt -o nospace
}
complete -F _sandglass sandglass
