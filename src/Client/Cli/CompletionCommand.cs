using System.CommandLine;
using IpcBench.Client.Plan;

namespace IpcBench.Client.Cli;

/// <summary>
/// <c>completion SHELL</c>: a script that asks this program what may follow, by the library's <c>[suggest:POSITION]</c>, so that it never
/// grows old; where nothing is suggested, the shell's own completion of file names goes on.
/// </summary>
internal static class CompletionCommand
{
    private const string Bash = """
        # eval "$(GrpcBench completion bash)"
        _grpcbench() {
            local line="${COMP_LINE#"${COMP_WORDS[0]}"}"
            line="${line# }"
            local point=$((COMP_POINT - ${#COMP_LINE} + ${#line}))
            local IFS=$'\n'
            COMPREPLY=($(compgen -W "$("${COMP_WORDS[0]}" "[suggest:$point]" "$line" 2>/dev/null)" -- "${COMP_WORDS[COMP_CWORD]}"))
        }
        complete -o bashdefault -o default -F _grpcbench GrpcBench grpcbench
        """;

    private const string Zsh = """
        #compdef GrpcBench grpcbench
        # eval "$(GrpcBench completion zsh)", after compinit
        _grpcbench() {
            local line="${(j: :)words[2,CURRENT]}"
            local -a found
            found=("${(@f)$("${words[1]}" "[suggest:${#line}]" "$line" 2>/dev/null)}")
            compadd -- ${found:#} || _files
        }
        compdef _grpcbench GrpcBench grpcbench
        """;

    private const string Fish = """
        # GrpcBench completion fish | source
        function __grpcbench_suggest
            set -l program (commandline -opc)[1]
            set -l line (string replace -r '^\s*\S+\s?' '' -- (commandline -cp))
            $program "[suggest:"(string length -- "$line")"]" "$line" 2>/dev/null
        end
        for name in GrpcBench grpcbench
            complete -c $name -a '(__grpcbench_suggest)'
        end
        """;

    private const string Pwsh = """
        # GrpcBench completion pwsh | Out-String | Invoke-Expression
        # No test of this project runs it.
        Register-ArgumentCompleter -Native -CommandName GrpcBench, GrpcBench.exe, grpcbench -ScriptBlock {
            param($word, $ast, $cursor)
            $program = $ast.CommandElements[0].ToString()
            $typed = $ast.ToString()
            $line = $typed.Substring($program.Length).TrimStart()
            $point = [Math]::Max($line.Length, $cursor - $ast.Extent.StartOffset - ($typed.Length - $line.Length))
            & $program "[suggest:$point]" "$line" 2>$null | Where-Object { $_ -like "$word*" } | ForEach-Object {
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

    public static Command Create()
    {
        var shell = new Argument<string>("SHELL")
        {
            Description = string.Join(", ", Scripts.Keys) + "; a comment of the script says how to use it",
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
