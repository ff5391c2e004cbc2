using System.Globalization;
using System.Text.Json;
using System.Text.RegularExpressions;
using System.Xml;
using System.Xml.Linq;
using System.Xml.Schema;
using IpcBench.Analysis.Documents;
using IpcBench.Analysis.Renderers;

namespace IpcBench.Analysis.Tests;

/// <summary>Checks formats that other programs collect from run to run, read as those programs read them.</summary>
public sealed partial class FollowedFormatTests
{
    // Quotes, markup, ends of lines, a backslash, a control character, an override of direction, U+FFFF and a letter of two code units.
    private const string Foreign = "a \"b\" <c> & 'd'\n\\n \u001b[31m \u202e \uffff 😀 ]]>";

    // The elements and attributes that Jenkins and GitLab read, after the schema of the JUnit plugin of Jenkins.
    private const string JunitSchema = """
        <xs:schema xmlns:xs="http://www.w3.org/2001/XMLSchema">
          <xs:element name="testsuites"><xs:complexType>
            <xs:sequence><xs:element ref="testsuite" minOccurs="0" maxOccurs="unbounded"/></xs:sequence>
            <xs:attribute name="name" type="xs:string"/>
          </xs:complexType></xs:element>
          <xs:element name="testsuite"><xs:complexType>
            <xs:sequence>
              <xs:element name="properties"><xs:complexType><xs:sequence>
                <xs:element name="property" maxOccurs="unbounded"><xs:complexType>
                  <xs:attribute name="name" type="xs:string" use="required"/>
                  <xs:attribute name="value" type="xs:string" use="required"/>
                </xs:complexType></xs:element>
              </xs:sequence></xs:complexType></xs:element>
              <xs:element name="testcase" minOccurs="0" maxOccurs="unbounded"><xs:complexType>
                <xs:sequence>
                  <xs:choice minOccurs="0">
                    <xs:element name="skipped" type="message"/>
                    <xs:element name="error" type="message"/>
                    <xs:element name="failure" type="message"/>
                  </xs:choice>
                  <xs:element name="system-out" type="xs:string" minOccurs="0"/>
                </xs:sequence>
                <xs:attribute name="classname" type="xs:string" use="required"/>
                <xs:attribute name="name" type="xs:string" use="required"/>
                <xs:attribute name="time" type="xs:decimal" use="required"/>
              </xs:complexType></xs:element>
              <xs:element name="system-out" type="xs:string" minOccurs="0"/>
              <xs:element name="system-err" type="xs:string" minOccurs="0"/>
            </xs:sequence>
            <xs:attribute name="name" type="xs:string" use="required"/>
            <xs:attribute name="tests" type="xs:nonNegativeInteger" use="required"/>
            <xs:attribute name="failures" type="xs:nonNegativeInteger" use="required"/>
            <xs:attribute name="errors" type="xs:nonNegativeInteger" use="required"/>
            <xs:attribute name="skipped" type="xs:nonNegativeInteger" use="required"/>
            <xs:attribute name="time" type="xs:decimal" use="required"/>
            <xs:attribute name="timestamp" type="xs:dateTime" use="required"/>
          </xs:complexType></xs:element>
          <xs:complexType name="message"><xs:attribute name="message" type="xs:string" use="required"/></xs:complexType>
        </xs:schema>
        """;

    public static TheoryData<string> Runs => ["sample", "two", "unmeasured", "foreign", "twins"];

    [Theory]
    [MemberData(nameof(Runs))]
    public void The_junit_report_is_valid_against_its_schema_and_counts_its_test_cases(string run)
    {
        var suites = ReadJunit(Model(run)).Root!.Elements().ToList();
        Assert.NotEmpty(suites);
        Assert.All(suites, suite =>
        {
            Assert.Equal((int)suite.Attribute("tests")!, suite.Elements("testcase").Count());
            foreach (var (count, element) in new[] { ("failures", "failure"), ("errors", "error"), ("skipped", "skipped") })
                Assert.Equal((int)suite.Attribute(count)!, suite.Elements("testcase").Elements(element).Count());
        });
    }

    [Fact]
    public void The_junit_report_marks_a_cell_with_failed_calls_as_failed_and_gives_the_reason()
    {
        var suite = ReadJunit(Model("foreign")).Root!.Element("testsuite")!;
        var failure = Assert.Single(suite.Descendants("failure"));
        Assert.Matches("^7 of [0-9]+ calls failed \\(status 5 NOT_FOUND: 7 \\(\"a \"b\" <c> & 'd'", (string)failure.Attribute("message")!);
        Assert.StartsWith("tcp a \"b\" <c>", (string)failure.Parent!.Attribute("name")!, StringComparison.Ordinal);
    }

    [Fact]
    public void The_junit_report_marks_unmeasured_cells_as_skipped_and_an_unfinished_run_as_an_error()
    {
        var suite = ReadJunit(Model("unmeasured")).Root!.Element("testsuite")!;
        Assert.Equal(("1", "3"), ((string)suite.Attribute("errors")!, (string)suite.Attribute("skipped")!));
        Assert.Equal("The run's ending is \"running\".", (string)Assert.Single(suite.Descendants("error")).Attribute("message")!);
    }

    [Theory]
    [MemberData(nameof(Runs))]
    public void The_bencher_report_has_valid_names_and_each_value_lies_between_its_bounds(string run)
    {
        using var document = JsonDocument.Parse(Make("bencher", Model(run)));
        var benchmarks = document.RootElement.EnumerateObject().ToList();
        Assert.Equal(run == "unmeasured" ? 0 : Cells(run), benchmarks.Select(benchmark => benchmark.Name).Distinct().Count());
        foreach (var benchmark in benchmarks)
        {
            Assert.InRange(benchmark.Name.Length, 1, 1024);
            Assert.NotEmpty(benchmark.Value.EnumerateObject());
            foreach (var measure in benchmark.Value.EnumerateObject())
            {
                Assert.InRange(measure.Name.Length, 1, 64);
                var numbers = measure.Value.EnumerateObject().ToDictionary(entry => entry.Name, entry => entry.Value.GetDouble());
                Assert.Subset(new HashSet<string> { "value", "lower_value", "upper_value" }, numbers.Keys.ToHashSet());
                Assert.InRange(numbers["value"], numbers.GetValueOrDefault("lower_value", double.MinValue),
                    numbers.GetValueOrDefault("upper_value", double.MaxValue));
            }
        }
    }

    [Theory]
    [MemberData(nameof(Runs))]
    public void The_report_for_github_action_benchmark_has_the_members_of_customSmallerIsBetter(string run)
    {
        using var document = JsonDocument.Parse(Make("github-action-benchmark", Model(run)));
        var names = new HashSet<string>();
        foreach (var entry in document.RootElement.EnumerateArray())
        {
            Assert.Equal(["name", "unit", "value", "range", "extra"], entry.EnumerateObject().Select(part => part.Name));
            Assert.True(names.Add(entry.GetProperty("name").GetString()!));
            Assert.NotEmpty(entry.GetProperty("unit").GetString()!);
            Assert.NotEmpty(entry.GetProperty("extra").GetString()!);
            var value = entry.GetProperty("value").GetDouble();
            var bounds = Range().Match(entry.GetProperty("range").GetString()!);
            Assert.InRange(value, Number(bounds.Groups["low"].Value), Number(bounds.Groups["high"].Value));
        }
        Assert.Equal(run == "unmeasured", names.Count == 0);
    }

    [Fact]
    public void The_report_github_action_benchmark_inverts_ratios_so_that_smaller_is_better()
    {
        using var action = JsonDocument.Parse(Make("github-action-benchmark", Model("sample")));
        using var bencher = JsonDocument.Parse(Make("bencher", Model("sample")));
        var rates = bencher.RootElement.GetProperty("unix, 10 B, 400 × 1").GetProperty("rps_ratio");
        var turned = action.RootElement.EnumerateArray().Single(entry => entry.GetProperty("name").GetString()
            == "unix, 10 B, 400 × 1: requests/s, tcp ÷ unix");
        Assert.InRange(turned.GetProperty("value").GetDouble(), 0.6, 0.8);
        Assert.Equal(1 / rates.GetProperty("value").GetDouble(), turned.GetProperty("value").GetDouble(), 4);
        var bounds = Range().Match(turned.GetProperty("range").GetString()!);
        Assert.Equal(1 / rates.GetProperty("upper_value").GetDouble(), Number(bounds.Groups["low"].Value), 4);
        Assert.Equal(1 / rates.GetProperty("lower_value").GetDouble(), Number(bounds.Groups["high"].Value), 4);
        Assert.StartsWith("requests/s, unix against tcp: faster by ", turned.GetProperty("extra").GetString(), StringComparison.Ordinal);
    }

    [Theory]
    [MemberData(nameof(Runs))]
    public void The_prometheus_report_is_valid_and_repeats_no_sample(string run)
    {
        var samples = ReadPrometheus(Make("prometheus", Model(run)));
        Assert.Equal(run == "unmeasured" ? 0 : Cells(run), samples.Count(sample => sample.Name == "ipcbench_rps"));
    }

    [Fact]
    public void The_prometheus_report_has_times_in_seconds_and_the_interval_of_each_ratio()
    {
        var samples = ReadPrometheus(Make("prometheus", Model("sample")))
            .Where(sample => sample.Labels.GetValueOrDefault("cell") == "unix, 10 B, 400 × 1").ToList();
        Assert.InRange(samples.Single(sample => sample.Name == "ipcbench_client_cpu_seconds").Value, 5e-6, 2e-5);
        var ratio = samples.Where(sample => sample.Labels.GetValueOrDefault("metric") == "rps")
            .ToDictionary(sample => sample.Name, sample => sample.Value);
        Assert.InRange(ratio["ipcbench_comparison_ratio"], ratio["ipcbench_comparison_ratio_low"],
            ratio["ipcbench_comparison_ratio_high"]);
    }

    [Fact]
    public void Terminal_control_characters_are_removed_from_labels_and_names()
    {
        var labels = ReadPrometheus(Make("prometheus", Model("foreign"))).First(sample => sample.Labels["transport"] == "tcp").Labels;
        Assert.StartsWith("a \"b\" <c> & 'd'\n\\n [31m ", labels["file"], StringComparison.Ordinal);
        var suite = ReadJunit(Model("foreign")).Root!.Element("testsuite")!;
        Assert.StartsWith("a \"b\" <c> & 'd'\n\\n [31m ", (string)suite.Attribute("name")!, StringComparison.Ordinal);
        Assert.EndsWith("😀 ]]>", (string)suite.Attribute("name")!, StringComparison.Ordinal);
        foreach (var format in new[] { "junit", "bencher", "github-action-benchmark", "prometheus" })
            Assert.DoesNotContain(Make(format, Model("foreign")), letter => letter is '\u001b' or '\u202e');
    }

    private static int Cells(string run) => Model(run).Files.Sum(file => file.Run.Cells.Count);

    private static ReportModel Model(string run)
    {
        var sample = new SampleRuns { Sizes = [10], Rounds = 8, SamplesPerRound = 20 }.Make();
        return run switch
        {
            "two" => new ReportModel([("linux", sample), ("windows", sample)]),
            "unmeasured" => new ReportModel(sample with { Rounds = [], Ending = "running", Finished = null }),
            "foreign" => new ReportModel(sample with
            {
                Label = Foreign,
                Cells = [.. sample.Cells.Select(cell => cell with { Key = cell.Key with { Variant = Foreign } })],
                Rounds = [.. sample.Rounds.Select(round => (round.Cell, round.Number) != (0, 1) ? round : round with
                {
                    Failed = new Dictionary<string, long> { ["status 5"] = 7 },
                    FailureMessages = new Dictionary<string, string> { ["status 5"] = Foreign },
                })],
            }),
            // The same file twice, so that cells have the same names.
            "twins" => new ReportModel([("same", sample), ("same", sample)]),
            _ => new ReportModel(sample),
        };
    }

    private static string Make(string format, ReportModel model) => Snapshot.InEveryCulture(() => Reports.Find(format)!.Make(model));

    private static XDocument ReadJunit(ReportModel model)
    {
        var schemas = new XmlSchemaSet();
        using var schema = XmlReader.Create(new StringReader(JunitSchema));
        schemas.Add("", schema);
        var document = XDocument.Parse(Make("junit", model));
        document.Validate(schemas, (_, problem) => Assert.Fail(problem.Message));
        return document;
    }

    /// <summary>
    /// Reads the text by its grammar (https://prometheus.io/docs/instrumenting/exposition_formats/): HELP and TYPE once before the
    /// samples of a name, samples of a name together, no sample twice.
    /// </summary>
    private static List<(string Name, Dictionary<string, string> Labels, double Value)> ReadPrometheus(string text)
    {
        Assert.True(text.Length == 0 || text.EndsWith('\n'));
        var samples = new List<(string Name, Dictionary<string, string> Labels, double Value)>();
        var (described, seen) = (new List<string>(), new HashSet<string>());
        foreach (var line in text.Split('\n', StringSplitOptions.RemoveEmptyEntries))
        {
            if (Help().Match(line) is { Success: true } help)
            {
                Assert.DoesNotContain(help.Groups["name"].Value, described);
                described.Add(help.Groups["name"].Value);
                continue;
            }
            if (Type().Match(line) is { Success: true } type)
            {
                Assert.Equal(described[^1], type.Groups["name"].Value);
                continue;
            }
            var sample = Sample().Match(line);
            Assert.True(sample.Success, line);
            Assert.Equal(described[^1], sample.Groups["name"].Value);
            Assert.True(seen.Add(line[..line.LastIndexOf(' ')]), line);
            var labels = sample.Groups["label"].Captures.Zip(sample.Groups["text"].Captures)
                .ToDictionary(label => label.First.Value, label => Unescaped(label.Second.Value));
            samples.Add((sample.Groups["name"].Value, labels, Number(sample.Groups["value"].Value)));
        }
        return samples;
    }

    private static string Unescaped(string text) => Escape().Replace(text, escape => escape.Value[1] == 'n' ? "\n" : escape.Value[1..]);

    private static double Number(string text) => double.Parse(text, CultureInfo.InvariantCulture);

    [GeneratedRegex(@"^\[(?<low>[0-9.E+-]+), (?<high>[0-9.E+-]+)\]$")]
    private static partial Regex Range();

    [GeneratedRegex(@"^# HELP (?<name>[a-zA-Z_:][a-zA-Z0-9_:]*) (?:[^\\]|\\\\|\\n)*$")]
    private static partial Regex Help();

    [GeneratedRegex(@"^# TYPE (?<name>[a-zA-Z_:][a-zA-Z0-9_:]*) gauge$")]
    private static partial Regex Type();

    [GeneratedRegex("""
        ^(?<name>[a-zA-Z_:][a-zA-Z0-9_:]*)\{((?<label>[a-zA-Z_][a-zA-Z0-9_]*)="(?<text>([^"\\]|\\["\\n])*)",?)+\} (?<value>[0-9.E+-]+)$
        """)]
    private static partial Regex Sample();

    [GeneratedRegex(@"\\[\\""n]")]
    private static partial Regex Escape();
}
