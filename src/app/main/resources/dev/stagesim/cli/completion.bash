# Stagesim completion for bash:  eval "$(./stage completion bash)"
_stage_complete() {
    local line=${COMP_LINE:0:COMP_POINT}
    local word=${line##*[[:space:]]}
    local words=()
    read -r -a words <<< "$line"
    local command=${words[0]}
    words=("${words[@]:1}")
    if [ -z "$word" ]; then words+=(""); fi
    local found=() reply
    while IFS= read -r reply; do found+=("$reply"); done < <("$command" complete "${words[@]}" 2> /dev/null)
    # Bash takes = and : for word breaks and replaces only what follows the last one.
    local current=${COMP_WORDS[COMP_CWORD]}
    case $current in = | :) current="" ;; esac
    local kept=${word%"$current"}
    COMPREPLY=()
    for reply in "${found[@]}"; do COMPREPLY+=("${reply#"$kept"}"); done
    if [ "${#found[@]}" -eq 1 ] && [[ ${found[0]} == *[=./] ]]; then compopt -o nospace; fi
    if [ "${#found[@]}" -gt 1 ]; then compopt -o nospace; fi
}
complete -F _stage_complete stage ./stage
