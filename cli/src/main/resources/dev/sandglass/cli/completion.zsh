#compdef sandglass
# Completion of sandglass for zsh; load it with: source <(sandglass completion zsh)
_sandglass() {
    local -a lines
    lines=("${(@f)$("${words[1]/#\~/$HOME}" __complete -- "${(@)words[2,CURRENT]}" 2> /dev/null)}")
    local flags=$lines[-1]
    lines[-1]=()
    if [[ $flags == *n* ]]; then
        compadd -S '' -a lines
    else
        compadd -a lines
    fi
    [[ $flags != *f* ]] || _files
}
(( $+functions[compdef] )) || { autoload -Uz compinit && compinit; }
compdef _sandglass sandglass
