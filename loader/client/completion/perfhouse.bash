# Completion of perfhouse in bash; `perfhouse complete` knows what can stand where.
# SPDX-License-Identifier: PostgreSQL

# The words of the line up to the cursor, without quotes, in _perfhouse_words; nothing is expanded. Of the last one:
# _perfhouse_quote (the open one), and in _perfhouse_kept what stands before the part that readline replaces.
_perfhouse_split()
{
    local line=${COMP_LINE:0:COMP_POINT} breaks=${COMP_WORDBREAKS//[\"\'\\]/} i c word='' begun=''
    _perfhouse_words=() _perfhouse_quote='' _perfhouse_kept=''
    for ((i = 0; i < ${#line}; i++)); do
        c=${line:i:1}
        if [[ $_perfhouse_quote == "'" ]]; then
            if [[ $c == "'" ]]; then _perfhouse_quote=''; else word+=$c; fi
        elif [[ $c == \\ ]]; then
            if [[ $_perfhouse_quote == '"' && ${line:i+1:1} != [\"\\\$\`] ]]; then word+=$c; fi
            ((++i))
            word+=${line:i:1} begun=1
        elif [[ $_perfhouse_quote == '"' ]]; then
            if [[ $c == '"' ]]; then _perfhouse_quote=''; else word+=$c; fi
        elif [[ $c == [\"\'] ]]; then
            _perfhouse_quote=$c begun=1 _perfhouse_kept=$word
        elif [[ $c == [[:space:]] ]]; then
            if [[ -n $begun ]]; then _perfhouse_words+=("$word"); fi
            word='' begun='' _perfhouse_kept=''
        else
            word+=$c begun=1
            if [[ $breaks == *"$c"* ]]; then _perfhouse_kept=$word; fi
        fi
    done
    _perfhouse_words+=("$word")
}

# A word as it has to be typed after what is there.
_perfhouse_quoted()
{
    local text=$1 c out='' i
    case $_perfhouse_quote in
        "'") out=${text//\'/\'\\\'\'} ;;
        '"')
            for ((i = 0; i < ${#text}; i++)); do
                c=${text:i:1}
                if [[ $c == [\"\\\$\`] ]]; then out+=\\; fi
                out+=$c
            done
            ;;
        *) if [[ -n $text ]]; then printf -v out %q "$text"; fi ;;
    esac
    _perfhouse_text=$out
}

_perfhouse()
{
    local _perfhouse_words _perfhouse_quote _perfhouse_kept _perfhouse_text line value
    COMPREPLY=()
    _perfhouse_split
    while IFS= read -r line; do
        value=${line%%$'\t'*}
        case $line in
            $'\tfiles') compopt -o default ;;
            $'\tfolders') compopt -o dirnames ;;
            *)
                _perfhouse_quoted "${value#"$_perfhouse_kept"}"
                COMPREPLY+=("$_perfhouse_text")
                ;;
        esac
    done < <("${_perfhouse_words[0]/#\~\//$HOME/}" complete "${_perfhouse_words[@]:1}" 2> /dev/null)
}
complete -F _perfhouse perfhouse perfhouse-render
