using Google.Protobuf.Collections;
using Google.Protobuf.Reflection;
using static Google.Protobuf.Reflection.FeatureSet.Types;
using FieldType = Google.Protobuf.Reflection.FieldDescriptorProto.Types.Type;
using Label = Google.Protobuf.Reflection.FieldDescriptorProto.Types.Label;

namespace IpcBench.Schema.Types;

/// <summary>
/// Files of edition 2023, said in the terms of proto3. Google.Protobuf 3.25 links such files and ignores their features, so its descriptors
/// would give other bytes than the file means. proto3's descriptors can express each feature that touches the wire or JSON: presence as an
/// optional field, packing as an option, delimited messages as groups.
/// </summary>
internal static class Editions
{
    // https://protobuf.dev/editions/features: what edition 2023 means where a file says nothing.
    private static readonly FeatureSet Defaults = new()
    {
        FieldPresence = FieldPresence.Explicit,
        EnumType = EnumType.Open,
        RepeatedFieldEncoding = RepeatedFieldEncoding.Packed,
        MessageEncoding = MessageEncoding.LengthPrefixed,
    };

    /// <summary>The file itself when it is proto2 or proto3, else one that means the same.</summary>
    /// <exception cref="InputException">The file is of a syntax or an edition that is not known here.</exception>
    public static FileDescriptorProto Lower(FileDescriptorProto file, string source)
    {
        if (file.Syntax is "" or "proto2" or "proto3")
            return file;
        if (file.Syntax != "editions")
            throw new InputException(
                $"{file.Name} of {source} has the syntax '{file.Syntax}', and known are proto2, proto3 and edition 2023");
        if (!file.HasEdition || file.Edition != Edition._2023)
            throw new InputException($"{file.Name} of {source} is of another edition than 2023, the only one known here");
        var lowered = file.Clone();
        lowered.Syntax = "proto3";
        lowered.ClearEdition();
        var features = Merged(Defaults, file.Options?.Features);
        Lower(lowered.EnumType, features);
        foreach (var extension in lowered.Extension)
            Lower(extension, features);
        foreach (var message in lowered.MessageType)
            Lower(message, features);
        return lowered;
    }

    /// <summary>Whether only the enum's own numbers are values of it: proto2, or an edition's CLOSED.</summary>
    public static bool IsClosed(EnumDescriptor type) =>
        type.File.Syntax == Syntax.Proto2 || type.GetOptions()?.Features?.EnumType == EnumType.Closed;

    private static void Lower(DescriptorProto message, FeatureSet outer)
    {
        var features = Merged(outer, message.Options?.Features);
        Lower(message.EnumType, features);
        foreach (var nested in message.NestedType)
            Lower(nested, features);
        foreach (var extension in message.Extension)
            Lower(extension, features);
        if (message.Options?.MapEntry == true)
            return;
        foreach (var field in message.Field)
        {
            var presence = Lower(field, features);
            if (presence == FieldPresence.Explicit && field is { Label: Label.Optional, HasOneofIndex: false, Type: not FieldType.Message })
            {
                field.Proto3Optional = true;
                field.OneofIndex = message.OneofDecl.Count;
                message.OneofDecl.Add(new OneofDescriptorProto { Name = "_" + field.Name });
            }
        }
    }

    private static FieldPresence Lower(FieldDescriptorProto field, FeatureSet outer)
    {
        var features = Merged(outer, field.Options?.Features);
        if (field.Label == Label.Repeated
            && field.Type is not (FieldType.String or FieldType.Bytes or FieldType.Message or FieldType.Group))
            (field.Options ??= new FieldOptions()).Packed = features.RepeatedFieldEncoding == RepeatedFieldEncoding.Packed;
        if (features.FieldPresence == FieldPresence.LegacyRequired && field.Label == Label.Optional)
            field.Label = Label.Required;
        if (features.MessageEncoding == MessageEncoding.Delimited && field.Type == FieldType.Message)
            field.Type = FieldType.Group;
        return features.FieldPresence;
    }

    private static void Lower(RepeatedField<EnumDescriptorProto> enums, FeatureSet outer)
    {
        foreach (var type in enums)
            (type.Options ??= new EnumOptions()).Features = Merged(outer, type.Options.Features);
    }

    private static FeatureSet Merged(FeatureSet outer, FeatureSet? own)
    {
        var merged = outer.Clone();
        if (own is not null)
            merged.MergeFrom(own);
        return merged;
    }
}
