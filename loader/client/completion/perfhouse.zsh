#compdef perfhouse perfhouse-render
# Completion of perfhouse in zsh; `perfhouse complete` knows what can stand where.
# SPDX-License-Identifier: PostgreSQL

_perfhouse()
{
    local line program=${(Q)words[1]}
    local -a values shown
    program=${program/#\~\//$HOME/}
    for line in "${(@f)$("$program" complete "${(@Q)words[2,CURRENT-1]}" "${(Q)PREFIX}" 2> /dev/null)}"; do
        case $line in
            '') ;;
            $'\tfiles') compset -P '--*='; _files ;;
            $'\tfolders') compset -P '--*='; _files -/ ;;
            *)
                values+=("${line%%$'\t'*}")
                shown+=("${line/$'\t'/  -- }")
                ;;
        esac
    done
    (( $#values )) && compadd -V perfhouse -l -d shown -a values
}

if [[ $funcstack[1] == _perfhouse ]]; then
    _perfhouse "$@"
else
    compdef _perfhouse perfhouse perfhouse-render
fi
