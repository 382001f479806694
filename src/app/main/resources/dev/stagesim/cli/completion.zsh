# Stagesim completion for zsh:  eval "$(./stage completion zsh)"
_stage_complete() {
    local -a found going done
    found=("${(@f)$("${words[1]}" complete "${(@)words[2,CURRENT]}" 2> /dev/null)}")
    local reply
    for reply in $found; do
        case $reply in
            (*[=./]) going+=("$reply") ;;
            (*) done+=("$reply") ;;
        esac
    done
    (( ${#going} )) && compadd -Q -S '' -- $going
    (( ${#done} )) && compadd -Q -- $done
}
compdef _stage_complete stage ./stage
