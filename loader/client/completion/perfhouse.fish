# Completion of perfhouse in fish; `perfhouse complete` knows what can stand where.
# SPDX-License-Identifier: PostgreSQL

function __perfhouse_complete
    set -l words (commandline -opc)
    set -l last (string unescape -- (commandline -ct))
    or set last (commandline -ct)
    test -n "$last"
    or set last ''
    for line in ($words[1] complete $words[2..-1] "$last" 2>/dev/null)
        switch $line
            case \t'*'
                set -l before (string match -r -- '^--[^=]*=' "$last")
                for path in (__fish_complete_path (string replace -r -- '^--[^=]*=' '' "$last"))
                    printf '%s\n' "$before$path"
                end
            case '*'
                printf '%s\n' "$line"
        end
    end
end
complete -c perfhouse -c perfhouse-render -f -k -a '(__perfhouse_complete)'
