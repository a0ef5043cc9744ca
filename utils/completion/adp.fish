# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
# fish completion for adp: asks the tool itself, which reads its own grammar table.
function __adp_complete
    set -l words (commandline -opc)
    set -l current (commandline -ct)
    for line in ($words[1] __complete $words[2..-1] "$current" 2>/dev/null)
        if test "$line" = FILE
            set -l option (string match -r -- '^--[a-z]+=' $current)
            __fish_complete_path (string replace -- "$option" "" $current) | string replace -r '^' -- "$option"
        else
            echo $line
        end
    end
end
complete -c adp -f -a '(__adp_complete)'
