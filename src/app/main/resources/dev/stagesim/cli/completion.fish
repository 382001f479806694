# Stagesim completion for fish:  ./stage completion fish | source
function __stage_complete
    set -l words (commandline -opc)
    set -l command $words[1]
    set -e words[1]
    $command complete $words (commandline -ct) 2>/dev/null
end
complete -c stage -f -a '(__stage_complete)'
