# Completion of sandglass for fish; load it with: sandglass completion fish | source
function __sandglass_complete
    set -l words (commandline -opc)
    set -l program (string replace -r '^~' $HOME -- $words[1])
    set -l lines ($program __complete -- $words[2..-1] (commandline -ct) 2> /dev/null)
    if string match -q ':*f*' -- $lines[-1]
        __fish_complete_path (commandline -ct)
    end
    for line in $lines
        string match -q ':*' -- $line; or echo $line
    end
end
complete -c sandglass -f -a '(__sandglass_complete)'
