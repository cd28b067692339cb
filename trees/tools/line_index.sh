# Reads {"path": "..."} from standard input and prints one object: the path, and all lines measured.
read -r arguments
path=$(printf '%s' "$arguments" | sed -n 's/.*"path":"\([^"\\]*\)".*/\1/p')

case $path in
  '' | /* | ../* | */../* | */..) echo 'this is no plain path below the repository' >&2; exit 1 ;;
esac

awk -v path="$path" '
    function longest(   at, most) { for (at = 1; at <= NF; at++) if (length($at) > most) most = length($at); return most + 0 }
    BEGIN { printf "{\"path\": \"%s\", \"lines\": [", path }
    {
        printf "%s{\"number\": %d, \"words\": %d, \"characters\": %d, ", (NR == 1 ? "" : ", "), NR, NF, length($0)
        printf "\"longest_word\": %d, \"words_so_far\": %d}", longest(), so_far += NF
    }
    END { print "]}" }
' "$path"
