namespace IpcBench.Analysis.Plots;

/// <summary>Colours and letters of pictures, light and dark; hues that stay apart for the colour-blind (after Okabe and Ito 2008), and shapes beside them.</summary>
internal static class PlotCss
{
    /// <summary>The variables under a light and a dark scheme.</summary>
    public const string Colours = """
        :root{--bg:#fff;--card:#fff;--fg:#1c2127;--mut:#5b6570;--grid:#e8ebee;--axis:#98a1ab;--band:#f1f3f5;--edge:#dfe3e8;--warn:#8a5a00;
        --c0:#0b63b0;--c1:#c8500a;--c2:#7b47b8;--c3:#68737f;--c4:#0c7f72;--c5:#b02a5b;--c6:#8a6d00;--c7:#2f3f9e;--k0:#5b93c9;--k1:#e39a5c;--k2:#c3c9d0}
        @media(prefers-color-scheme:dark){:root{--bg:#14171a;--card:#1a1e22;--fg:#e4e8ec;--mut:#9aa5b1;--grid:#2a3036;--axis:#5d6872;--band:#20262b;--edge:#2c3339;--warn:#e2b053;
        --c0:#66aef0;--c1:#f5965a;--c2:#bd93f0;--c3:#a3afbb;--c4:#4fc7b8;--c5:#f07fa8;--c6:#d8b84a;--c7:#94a3ff;--k0:#4f86bd;--k1:#c97f42;--k2:#5f6973}}

        """;

    /// <summary>The classes of marks.</summary>
    public const string Marks = """
        svg text{font:13px system-ui,-apple-system,"Segoe UI",Roboto,sans-serif;fill:var(--fg)}svg text.s{fill:var(--mut);font-size:12px}svg text.head{font-weight:600;font-size:15px}
        .g{stroke:var(--grid)}.a{stroke:var(--axis)}.one{stroke:var(--mut);stroke-width:1.5}.band{fill:var(--band)}
        .l{fill:none;stroke-width:2;stroke-linejoin:round;stroke-linecap:round}.d{stroke-dasharray:5 4}
        .m{stroke:var(--card);stroke-width:1}.h{fill:var(--card);stroke-width:1.8}.o{fill-opacity:.55;stroke-width:.6}
        .l.c0,.h.c0{stroke:var(--c0)}.l.c1,.h.c1{stroke:var(--c1)}.l.c2,.h.c2{stroke:var(--c2)}.l.c3,.h.c3{stroke:var(--c3)}.l.c4,.h.c4{stroke:var(--c4)}.l.c5,.h.c5{stroke:var(--c5)}.l.c6,.h.c6{stroke:var(--c6)}.l.c7,.h.c7{stroke:var(--c7)}
        .m.c0{fill:var(--c0)}.m.c1{fill:var(--c1)}.m.c2{fill:var(--c2)}.m.c3{fill:var(--c3)}.m.c4{fill:var(--c4)}.m.c5{fill:var(--c5)}.m.c6{fill:var(--c6)}.m.c7{fill:var(--c7)}
        .k0{fill:var(--k0)}.k1{fill:var(--k1)}.k2{fill:var(--k2)}

        """;
}
