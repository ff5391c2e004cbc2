namespace IpcBench.Analysis.Renderers;

/// <summary>How the page looks: calm, on a phone and on paper too.</summary>
internal static class HtmlCss
{
    public const string Page = """
        *{box-sizing:border-box}html{color-scheme:light dark;-webkit-text-size-adjust:100%}
        body{margin:0;background:var(--bg);color:var(--fg);font:16px/1.55 system-ui,-apple-system,"Segoe UI",Roboto,sans-serif}
        header,main,footer{max-width:1120px;margin:0 auto;padding:0 24px}
        header{padding-top:44px}h1{font-size:30px;line-height:1.2;letter-spacing:-.015em;margin:0 0 10px}h2{font-size:20px;letter-spacing:-.01em;margin:0 0 4px}h3{font-size:15px;margin:20px 0 6px}
        .sub,.cap,footer{color:var(--mut)}.sub{margin:2px 0;font-size:15px}.cap{margin:0 0 12px;font-size:14px;max-width:78ch}
        main{display:grid;grid-template-columns:repeat(2,minmax(0,1fr));gap:44px 36px;padding-top:34px;padding-bottom:30px}
        section{grid-column:1/-1;min-width:0}section.half{grid-column:auto}
        .answer{border:1px solid var(--edge);border-left:4px solid var(--c0);border-radius:8px;padding:16px 22px;background:var(--card)}.answer ul{margin:6px 0 0;padding-left:20px}.answer li{margin:5px 0}
        .panels{display:grid;grid-template-columns:repeat(auto-fill,minmax(min(100%,440px),1fr));gap:18px 36px}.half .panels{grid-template-columns:minmax(0,1fr)}
        figure{margin:0;min-width:0}figcaption{font-weight:600;font-size:14px;margin:2px 0}svg{width:100%;height:auto;display:block;max-width:560px;overflow:visible}
        details{margin-top:10px}summary{cursor:pointer;color:var(--mut);font-size:14px}summary:focus-visible,.scroll:focus-visible{outline:2px solid var(--c0);outline-offset:2px}
        .scroll{overflow-x:auto;margin-top:8px}table{border-collapse:collapse;font-size:13.5px;font-variant-numeric:tabular-nums;white-space:nowrap}
        th{font-weight:600;color:var(--mut);text-align:right;border-bottom:1px solid var(--axis)}th,td{padding:4px 14px 4px 0;text-align:right}td{border-bottom:1px solid var(--grid)}th.w,td.w{text-align:left}
        tr.new td{border-top:1px solid var(--axis)}dl{display:grid;grid-template-columns:max-content 1fr;gap:3px 22px;font-size:14.5px;margin:8px 0}dt{color:var(--mut)}dd{margin:0;overflow-wrap:anywhere}
        .doubts{padding:0;list-style:none;margin:8px 0}.doubts li{margin:10px 0;padding-left:14px;border-left:3px solid var(--warn)}.doubts code{color:var(--warn)}.fix{color:var(--mut)}
        code{font:13px ui-monospace,SFMono-Regular,Consolas,monospace;overflow-wrap:anywhere}footer{font-size:13.5px;padding-bottom:44px}
        @media(max-width:820px){main{grid-template-columns:minmax(0,1fr)}header,main,footer{padding-left:16px;padding-right:16px}h1{font-size:24px}.answer{padding:12px 16px}dl{grid-template-columns:1fr}dd{margin:0 0 6px}}
        @media print{:root{--bg:#fff;--card:#fff;--fg:#000;--mut:#444}body{font-size:11pt}main{display:block}section{margin-bottom:24px}figure,tr,li{break-inside:avoid}.scroll{overflow:visible}table{font-size:8pt;white-space:normal}
        summary{display:none}details::details-content{content-visibility:visible;block-size:auto}}

        """;
}
