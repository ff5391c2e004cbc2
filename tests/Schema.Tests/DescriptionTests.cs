using IpcBench.Schema.Tests.Support;
using IpcBench.Schema.Text;

namespace IpcBench.Schema.Tests;

public class DescriptionTests
{
    [Fact]
    public void A_service_is_described_with_all_types_that_it_uses()
    {
        Assert.Equal("""
            message rich.Order {
              string id = 1;
              repeated rich.Item items = 2;
              map<string, int32> labels = 3;
              google.protobuf.Timestamp at = 4;
            }

            message rich.Item {
              string name = 1;
              double price = 2;
              int32 count = 3;
            }

            """.ReplaceLineEndings("\n"), Description.Make(Protos.Types, "rich.Order"));
        var shop = Description.Make(Protos.Types, "rich.Shop");
        Assert.Contains("  rpc Talk(stream rich.Three.Inner) returns (stream rich.Three.Inner);\n", shop, StringComparison.Ordinal);
        Assert.Contains("message rich.Three {\n", shop, StringComparison.Ordinal);
        Assert.Contains("enum rich.Aliased {\n", shop, StringComparison.Ordinal);
    }

    [Fact]
    public void Presence_and_the_members_of_a_oneof_are_shown()
    {
        var three = Description.Make(Protos.Types, "rich.Three");
        Assert.Contains("  int32 an_int32 = 1;\n", three, StringComparison.Ordinal);
        Assert.Contains("  optional int32 optional_int32 = 21;\n", three, StringComparison.Ordinal);
        Assert.Contains("  int32 chosen_int = 51; // one of choice\n", three, StringComparison.Ordinal);
    }

    [Fact]
    public void The_error_of_an_unknown_name_suggests_similar_names()
    {
        var error = Assert.Throws<SchemaException>(() => Description.Make(Protos.Types, "rich.Ordr"));
        Assert.Equal("rich.pb has no service or type rich.Ordr: did you mean rich.Order?", error.Message);
    }
}
