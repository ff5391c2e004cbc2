using System.CommandLine;
using System.Globalization;
using IpcBench.Client.Plan;

namespace IpcBench.Client.Cli;

/// <summary>
/// <c>completion SHELL</c>: prints a script that asks this program for suggestions (<c>[suggest:POSITION]</c> of System.CommandLine),
/// so that the script is never outdated. Where this program suggests nothing, the shell completes file names.
/// </summary>
internal static class CompletionCommand
{
    private const string Bash = """
        # eval "$(GrpcBench completion bash)"
        _grpcbench() {
            local line="${COMP_LINE#"${COMP_WORDS[0]}"}"
            line="${line# }"
            local point=$((COMP_POINT - ${#COMP_LINE} + ${#line}))
            local IFS=$'\n' word="${COMP_WORDS[COMP_CWORD]}" option=""
            [[ $word != --*=* ]] || option="${word%%=*}="
            word="${word#"$option"}"
            COMPREPLY=($(compgen -P "$option" -W "$("${COMP_WORDS[0]}" "[suggest:$point]" "$line" 2>/dev/null)" -- "${word#=}"))
        }
        complete -o bashdefault -o default -F _grpcbench GrpcBench grpcbench
        """;

    private const string Zsh = """
        #compdef GrpcBench grpcbench
        # eval "$(GrpcBench completion zsh)", after compinit
        _grpcbench() {
            local line="${(j: :)words[2,CURRENT]}" option=""
            [[ ${words[CURRENT]} != --*=* ]] || option="${words[CURRENT]%%=*}="
            local -a found
            found=("${(@f)$("${words[1]}" "[suggest:${#line}]" "$line" 2>/dev/null)}")
            found=(${found:#})
            compadd -- "$option"$^found || _files
        }
        compdef _grpcbench GrpcBench grpcbench
        """;

    private const string Fish = """
        # GrpcBench completion fish | source
        function __grpcbench_suggest
            set -l program (commandline -opc)[1]
            set -l line (string replace -r '^\s*\S+\s?' '' -- (commandline -cp))
            set -l option (string match -r -- '^--[^=]+=' (commandline -ct))
            for found in ($program "[suggest:"(string length -- "$line")"]" "$line" 2>/dev/null)
                echo "$option$found"
            end
        end
        for name in GrpcBench grpcbench
            complete -c $name -a '(__grpcbench_suggest)'
        end
        """;

    private const string Pwsh = """
        # GrpcBench completion pwsh | Out-String | Invoke-Expression
        # No test of this project runs this script.
        Register-ArgumentCompleter -Native -CommandName GrpcBench, GrpcBench.exe, grpcbench -ScriptBlock {
            param($word, $ast, $cursor)
            $program = $ast.CommandElements[0].ToString()
            $typed = $ast.ToString()
            $line = $typed.Substring($program.Length).TrimStart()
            $point = [Math]::Max($line.Length, $cursor - $ast.Extent.StartOffset - ($typed.Length - $line.Length))
            $option = if ($word -match '^--[^=]+=') { $Matches[0] } else { '' }
            $found = & $program "[suggest:$point]" "$line" 2>$null | ForEach-Object { "$option$_" }
            $found | Where-Object { $_ -like "$word*" } | ForEach-Object {
                [System.Management.Automation.CompletionResult]::new($_, $_, 'ParameterValue', $_)
            }
        }
        """;

    private static readonly Dictionary<string, string> Scripts = new()
    {
        ["bash"] = Bash,
        ["zsh"] = Zsh,
        ["fish"] = Fish,
        ["pwsh"] = Pwsh,
    };

    /// <summary>Gives an option the values that shells suggest.</summary>
    public static Option<T> Suggesting<T>(Option<T> option, params string[] values)
    {
        option.CompletionSources.Add(values);
        return option;
    }

    /// <summary>
    /// If the arguments ask for suggestions and the word at the cursor is <c>--name=VALUE</c>, replaces the equals sign by a space.
    /// System.CommandLine suggests the values of an option only after a space.
    /// </summary>
    public static string[] Spaced(string[] arguments)
    {
        if (arguments is not [['[', 's', 'u', 'g', 'g', 'e', 's', 't', ':', .. var position, ']'], var line]
            || !int.TryParse(position, NumberStyles.None, CultureInfo.InvariantCulture, out var point) || point > line.Length)
            return arguments;
        var word = line.LastIndexOf(' ', Math.Max(0, point - 1), Math.Max(0, point)) + 1;
        var equals = line.IndexOf('=', word, point - word);
        return equals < 0 || line[word] != '-' ? arguments : [arguments[0], $"{line[..equals]} {line[(equals + 1)..]}"];
    }

    public static Command Create()
    {
        var shell = new Argument<string>("SHELL")
        {
            Description = string.Join(", ", Scripts.Keys) + "; a comment in the script says how to use the script",
        };
        shell.CompletionSources.Add([.. Scripts.Keys]);
        var command = new Command("completion", "Prints a script that lets a shell complete commands, options and their values.") { shell };
        command.SetAction(typed =>
        {
            var name = Parsers.OneOf(typed.GetValue(shell)!, "completion", [.. Scripts.Keys]);
            typed.InvocationConfiguration.Output.WriteLine(Scripts[name]);
            return ExitCode.Ok;
        });
        return command;
    }
}
