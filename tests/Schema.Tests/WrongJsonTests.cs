using IpcBench.Schema.Tests.Support;

namespace IpcBench.Schema.Tests;

public class WrongJsonTests
{
    [Theory]
    // Not valid JSON.
    [InlineData("rich.Item", "", "line 1, column 1: the text holds no JSON")]
    [InlineData("rich.Item", "{", "line 1, column 2: the JSON ends too early")]
    [InlineData("rich.Item", """{"name":""", "line 1, column 9: the JSON ends too early")]
    [InlineData("rich.Item", """{"name":"ink}""", "line 1, column 14: the JSON ends too early")]
    [InlineData("rich.Item", "name", "line 1, column 2: the text is not JSON: 'name' is an invalid JSON literal")]
    [InlineData("rich.Item", """{'name':"ink"}""", "line 1, column 2: the text is not JSON: ''' is an invalid start of a property name")]
    [InlineData("rich.Item", """{"name":"ink",}""",
        "line 1, column 15: the text is not JSON: The JSON object contains a trailing comma at the end which is not supported in this "
            + "mode")]
    [InlineData("rich.Item", """{"count":01}""", "line 1, column 11: the text is not JSON: Invalid leading zero before '1'")]
    [InlineData("rich.Item", """{"price":NaN}""", "line 1, column 10: the text is not JSON: 'N' is an invalid start of a value")]
    [InlineData("rich.Item", """{"name":"\ud800"}""", "line 1, column 9: the string is not valid Unicode text")]
    [InlineData("rich.Item", """{"name":"ink"} x""", "line 1, column 16: text follows the end of the JSON value")]
    [InlineData("rich.Item", "{}{}", "line 1, column 3: text follows the end of the JSON value")]
    // Wrong names.
    [InlineData("rich.Item", """{"nam":"ink"}""", "line 1, column 2: rich.Item has no field \"nam\": did you mean name?")]
    [InlineData("rich.Item", "{\n  \"weight\": 1\n}", "line 2, column 3: rich.Item has no field \"weight\": known names are name, "
        + "price, count")]
    [InlineData("rich.Item", """{"name":"a", "name":"b"}""", "line 1, column 14: the field \"name\" appears twice")]
    [InlineData("rich.Three", """{"anInt32":1, "an_int32":1}""", "line 1, column 15: the field \"an_int32\" appears twice")]
    [InlineData("rich.Three", """{"chosenInt":1, "chosenString":"x"}""",
        "line 1, column 17: \"chosenString\" and \"chosenInt\" exclude each other: both are of choice")]
    [InlineData("rich.Three", """{"byString":{"a":"", "a":""}}""", "line 1, column 22: the key \"a\" appears twice")]
    [InlineData("rich.Three", """{"structure":{"a":1, "a":2}}""", "line 1, column 22: the key \"a\" appears twice")]
    [InlineData("rich.two.Two", """{"name":"x"}""", "line 1, column 1: rich.two.Two requires the field \"id\"")]
    [InlineData("rich.two.Two", """{"id":null}""", "line 1, column 1: rich.two.Two requires the field \"id\"")]
    [InlineData("rich.two.Two", """{"id":1, "[rich.two.lvl]":2}""",
        "line 1, column 10: rich.two.Two has no field \"[rich.two.lvl]\": did you mean [rich.two.level]?")]
    // Wrong types.
    [InlineData("rich.Item", "[]", "line 1, column 1: rich.Item takes an object in braces, not a list")]
    [InlineData("rich.Item", "null", "line 1, column 1: rich.Item takes an object in braces, not null")]
    [InlineData("rich.Item", """{"name":5}""", "line 1, column 9: rich.Item.name is a string and takes text in quotes, not 5")]
    [InlineData("rich.Item", """{"count":true}""",
        "line 1, column 10: rich.Item.count is an int32 and takes a whole number from -2147483648 to 2147483647, not true")]
    [InlineData("rich.Item", """{"count":2147483648}""",
        "line 1, column 10: rich.Item.count is an int32 and takes a whole number from -2147483648 to 2147483647, not 2147483648")]
    [InlineData("rich.Item", """{"count":1.5}""",
        "line 1, column 10: rich.Item.count is an int32 and takes a whole number from -2147483648 to 2147483647, not 1.5")]
    [InlineData("rich.Item", """{"count":"0x10"}""",
        "line 1, column 10: rich.Item.count is an int32 and takes a whole number from -2147483648 to 2147483647, not \"0x10\"")]
    [InlineData("rich.Item", """{"count":1e99999999}""",
        "line 1, column 10: rich.Item.count is an int32 and takes a whole number from -2147483648 to 2147483647, not 1e99999999")]
    [InlineData("rich.Three", """{"aUint32":-1}""",
        "line 1, column 12: rich.Three.a_uint32 is a uint32 and takes a whole number from 0 to 4294967295, not -1")]
    [InlineData("rich.Three", """{"anInt64":"9223372036854775808"}""",
        "line 1, column 12: rich.Three.an_int64 is an int64 and takes a whole number from -9223372036854775808 to "
        + "9223372036854775807, not \"9223372036854775808\"")]
    [InlineData("rich.Three", """{"aUint64":18446744073709551616}""",
        "line 1, column 12: rich.Three.a_uint64 is a uint64 and takes a whole number from 0 to 18446744073709551615, not "
        + "18446744073709551616")]
    [InlineData("rich.Item", """{"price":"dear"}""",
        "line 1, column 10: rich.Item.price is a double and takes a number, \"NaN\", \"Infinity\" or \"-Infinity\", not \"dear\"")]
    [InlineData("rich.Item", """{"price":1e400}""",
        "line 1, column 10: rich.Item.price is a double and takes numbers up to 1.7976931348623157E+308, not 1e400")]
    [InlineData("rich.Three", """{"aFloat":1e39}""",
        "line 1, column 11: rich.Three.a_float is a float and takes numbers up to 3.4028234663852886E+38, not 1e39")]
    [InlineData("rich.Three", """{"aBool":"true"}""",
        "line 1, column 10: rich.Three.a_bool is a bool and takes true or false, not \"true\"")]
    [InlineData("rich.Three", """{"someBytes":"a*b"}""",
        "line 1, column 14: rich.Three.some_bytes is bytes and takes base64 text, not \"a*b\"")]
    [InlineData("rich.Three", """{"color":"REDD"}""", "line 1, column 10: the enum rich.Color has no value \"REDD\": did you mean RED?")]
    [InlineData("rich.Three", """{"color":true}""",
        "line 1, column 10: rich.Three.color is the enum rich.Color and takes the name or number of a value, not true")]
    [InlineData("rich.two.Two", """{"id":1,"grade":3}""", "line 1, column 17: the enum rich.two.Grade has no value 3: known values "
        + "are 1, 5")]
    [InlineData("rich.Three", """{"ints":1}""", "line 1, column 9: rich.Three.ints is repeated and takes a list in brackets, not 1")]
    [InlineData("rich.Three", """{"ints":[1,null]}""", "line 1, column 12: rich.Three.ints takes no null among its values")]
    [InlineData("rich.Three", """{"byInt32":[]}""",
        "line 1, column 12: rich.Three.by_int32 is a map and takes an object in braces, not a list")]
    [InlineData("rich.Three", """{"byInt32":{"one":1}}""",
        "line 1, column 13: rich.Three.ByInt32Entry.key is an int32 and takes a whole number from -2147483648 to 2147483647, not "
        + "\"one\"")]
    [InlineData("rich.Three", """{"byBool":{"True":"1s"}}""",
        "line 1, column 12: rich.Three.ByBoolEntry.key is a bool and takes true or false, not \"True\"")]
    [InlineData("rich.Three", """{"byInt64":{"1":null}}""", "line 1, column 17: rich.Three.by_int64 takes no null among its values")]
    [InlineData("rich.Order", """{"items":[{},{"count":"1.5"}]}""",
        "line 1, column 23: rich.Item.count is an int32 and takes a whole number from -2147483648 to 2147483647, not \"1.5\"")]
    // Wrong values of well-known types.
    [InlineData("rich.Order", """{"at":"2024-02-30T00:00:00Z"}""",
        "line 1, column 7: a google.protobuf.Timestamp takes a time such as \"2024-05-17T09:30:00.5Z\", years 0001 to 9999, not "
        + "\"2024-02-30T00:00:00Z\"")]
    [InlineData("rich.Order", """{"at":"2024-05-17 09:30:00"}""",
        "line 1, column 7: a google.protobuf.Timestamp takes a time such as \"2024-05-17T09:30:00.5Z\", years 0001 to 9999, not "
        + "\"2024-05-17 09:30:00\"")]
    [InlineData("rich.Order", """{"at":0}""",
        "line 1, column 7: a google.protobuf.Timestamp takes a time such as \"2024-05-17T09:30:00.5Z\", years 0001 to 9999, not 0")]
    [InlineData("rich.Three", """{"duration":"1.5"}""",
        "line 1, column 13: a google.protobuf.Duration takes seconds such as \"1.5s\", up to 315576000000, not \"1.5\"")]
    [InlineData("rich.Three", """{"duration":"315576000001s"}""",
        "line 1, column 13: a google.protobuf.Duration takes seconds such as \"1.5s\", up to 315576000000, not \"315576000001s\"")]
    [InlineData("rich.Three", """{"mask":"a_b"}""",
        "line 1, column 9: a google.protobuf.FieldMask takes paths in camel case with commas such as \"user.displayName,photo\", "
        + "not \"a_b\"")]
    [InlineData("rich.Three", """{"structure":[]}""", "line 1, column 14: a google.protobuf.Struct takes an object in braces, not a list")]
    [InlineData("rich.Three", """{"list":{}}""", "line 1, column 9: a google.protobuf.ListValue takes a list in brackets, not an object")]
    [InlineData("rich.Three", """{"value":1e400}""",
        "line 1, column 10: a google.protobuf.Value takes numbers up to 1.7976931348623157E+308, not 1e400")]
    [InlineData("rich.Three", """{"empty":{"a":1}}""", "line 1, column 11: google.protobuf.Empty has no field \"a\"")]
    [InlineData("rich.Three", """{"wrappedInt32":"x"}""",
        "line 1, column 17: google.protobuf.Int32Value.value is an int32 and takes a whole number from -2147483648 to 2147483647, "
        + "not \"x\"")]
    [InlineData("rich.Three", """{"any":{"name":"x"}}""",
        "line 1, column 8: a google.protobuf.Any needs one \"@type\", as in \"type.googleapis.com/google.protobuf.Duration\"")]
    [InlineData("rich.Three", """{"any":{"@type":"type.googleapis.com/rich.None"}}""",
        "line 1, column 17: the type \"type.googleapis.com/rich.None\" is unknown: write type.googleapis.com/ and the "
        + "full name of a message")]
    [InlineData("rich.Three", """{"any":{"@type":"t/google.protobuf.Duration","seconds":1}}""",
        "line 1, column 8: a google.protobuf.Duration in an Any takes the member \"value\" alone")]
    [InlineData("rich.Three", """{"any":{"@type":"t/rich.Item","nam":""}}""", "line 1, column 31: rich.Item has no field \"nam\": did "
        + "you mean name?")]
    public void Wrong_JSON_is_reported_with_line_and_column(string type, string json, string sentence) =>
        Assert.Equal(sentence, Assert.Throws<InputException>(() => Protos.Encode(type, json)).Message);

    [Fact]
    public void JSON_nested_too_deeply_is_rejected()
    {
        var deep = string.Concat(Enumerable.Repeat("""{"inner":""", 100)) + "{}" + new string('}', 100);
        var error = Assert.Throws<InputException>(() => Protos.Encode("rich.Three.Inner", deep));
        Assert.Equal("line 1, column 901: the JSON is nested deeper than 100 levels", error.Message);
        Assert.NotEmpty(Protos.Encode("rich.Three.Inner", deep[9..^1]));
        error = Assert.Throws<InputException>(() => Protos.Encode("google.protobuf.Value", new string('[', 1_000_000)));
        Assert.Equal("line 1, column 101: the JSON is nested deeper than 100 levels", error.Message);
    }

    [Fact]
    public void A_column_counts_characters_and_not_bytes() =>
        Assert.Equal("line 1, column 15: rich.Item has no field \"x\": known names are name, price, count",
            Assert.Throws<InputException>(() => Protos.Encode("rich.Item", """{"name":"Äé",  "x":1}""".Replace("  ", " "))).Message);
}
