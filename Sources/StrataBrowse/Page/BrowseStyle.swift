/// The style of the page.
enum BrowseStyle {
  static let text = #"""
    :root{--bg:#f4f6fa;--card:#fff;--ink:#14213a;--soft:#4f5d73;--line:#d5dce7;--head:#e8edf5;--accent:#3c4fc4;--on:#fff;
    --good:#0b6b34;--bad:#a3221b;--bad-bg:#fbe3e1;--warn:#7a4b00;--warn-bg:#fdf0cc;--pick:#dfe5ff}
    :root[data-theme=dark]{--bg:#0d121d;--card:#161d2c;--ink:#e7ecf6;--soft:#a3b0c6;--line:#2b364b;--head:#212b40;
    --accent:#9fadff;--on:#0d121d;--good:#7fdca4;--bad:#ff9d96;--bad-bg:#431f21;--warn:#f3cc74;--warn-bg:#3b2f14;--pick:#27325a}
    @media(prefers-color-scheme:dark){:root:not([data-theme=light]){--bg:#0d121d;--card:#161d2c;--ink:#e7ecf6;--soft:#a3b0c6;
    --line:#2b364b;--head:#212b40;--accent:#9fadff;--on:#0d121d;--good:#7fdca4;--bad:#ff9d96;--bad-bg:#431f21;--warn:#f3cc74;
    --warn-bg:#3b2f14;--pick:#27325a}}
    *{box-sizing:border-box}
    html,body,#app{height:100%;margin:0}
    body{background:var(--bg);color:var(--ink);font:14px/1.45 system-ui,-apple-system,"Segoe UI",sans-serif}
    :focus-visible{outline:2px solid var(--accent);outline-offset:1px}
    .hidden{position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%);white-space:nowrap}
    #app{display:grid;grid-template:auto auto 1fr/230px minmax(0,1fr) auto;grid-template-areas:"top top top" "note note note" "nav main side"}
    button,input,select,textarea{font:inherit;color:var(--ink);background:var(--card);border:1px solid var(--line);border-radius:7px;
    padding:4px 10px;max-width:100%}::placeholder{color:var(--soft);opacity:1}
    button{cursor:pointer}button:hover:enabled{border-color:var(--accent)}button:disabled{opacity:.45;cursor:default}
    button.main{background:var(--accent);color:var(--on);border-color:var(--accent)}
    button.plain{border-color:transparent;background:none;padding:2px 6px}button.danger{color:var(--bad)}
    header{grid-area:top;display:flex;flex-wrap:wrap;gap:6px 14px;align-items:center;padding:8px 14px;background:var(--card);
    border-bottom:1px solid var(--line)}
    header h1{font-size:15px;margin:0;overflow-wrap:anywhere}.soft{color:var(--soft)}.grow{flex:1}
    .badge{font-size:12px;border-radius:99px;padding:1px 9px;background:var(--head);color:var(--soft)}
    .badge.edit{background:var(--warn-bg);color:var(--warn)}
    .note{grid-area:note;display:flex;flex-wrap:wrap;gap:8px;align-items:center;padding:6px 14px;background:var(--warn-bg);color:var(--warn)}
    .note:empty{display:none}
    nav{grid-area:nav;overflow:auto;border-inline-end:1px solid var(--line);padding:10px;background:var(--card)}
    nav ul{list-style:none;margin:0;padding:0}nav button{display:flex;width:100%;gap:8px;border-color:transparent;background:none;
    text-align:start}nav button span:first-child{flex:1;overflow:hidden;text-overflow:ellipsis}nav button[aria-current=true]{
    background:var(--pick);font-weight:600}nav input{width:100%;margin-bottom:8px}
    main{grid-area:main;display:grid;grid-auto-flow:column;grid-auto-columns:minmax(0,1fr);min-height:0}
    .pane{display:flex;flex-direction:column;min-width:0;min-height:0}.pane+.pane{border-inline-start:3px solid var(--accent)}
    .bar{display:flex;flex-wrap:wrap;gap:8px;align-items:center;padding:8px 12px}
    .filter{position:relative;flex:1 1 260px;min-width:0}.filter input{width:100%;font-family:ui-monospace,Menlo,Consolas,monospace;
    font-size:13px}.filter input[aria-invalid=true]{border-color:var(--bad)}
    .filter ul{position:absolute;z-index:6;inset-inline:0;top:100%;margin:2px 0 0;padding:4px;list-style:none;background:var(--card);
    border:1px solid var(--line);border-radius:8px;max-height:260px;overflow:auto;box-shadow:0 8px 24px #0003}
    .filter li{display:flex;gap:12px;padding:3px 8px;border-radius:5px;cursor:pointer}.filter li[aria-selected=true]{background:var(--pick)}
    .filter li span:last-child{color:var(--soft);margin-inline-start:auto}
    .problem{color:var(--bad);padding:0 12px 6px;margin:0;overflow-wrap:anywhere}.problem code{background:var(--bad-bg);
    text-decoration:underline wavy var(--bad);white-space:pre-wrap}
    .grid{flex:1;min-height:0;overflow:auto;background:var(--card);border-top:1px solid var(--line);position:relative;contain:strict}
    .top{position:sticky;top:0;z-index:3;width:max-content;min-width:100%}.head{display:flex;background:var(--head);border-bottom:1px solid var(--line);width:max-content;min-width:100%}
    .th,.td{flex:none;width:170px;padding:0 10px;height:30px;line-height:30px;overflow:hidden;white-space:nowrap;text-overflow:ellipsis}
    .th{padding:0}.th button{width:100%;height:100%;border:0;border-radius:0;background:none;text-align:start;font-weight:600;
    padding:0 10px;line-height:30px;overflow:hidden;text-overflow:ellipsis}.th.id,.td.id{width:86px;color:var(--soft);font-variant-numeric:tabular-nums}
    .th.number,.th.number button{text-align:end}.th span.type{color:var(--soft);font-weight:400;font-size:12px;margin-inline-start:6px}.th.still{padding:0 10px;font-weight:600;color:var(--ink)}
    .space{position:relative;width:max-content;min-width:100%}
    .tr{position:absolute;inset-inline-start:0;display:flex;min-width:100%;height:30px;border-bottom:1px solid var(--line);cursor:default}
    .tr[aria-selected=true]{background:var(--pick)}.td.at{box-shadow:inset 0 0 0 2px var(--accent)}
    .td.null{color:var(--soft);font-style:italic}.td .link{color:var(--accent)}.td.number{text-align:end;font-variant-numeric:tabular-nums}
    .empty{padding:28px;color:var(--soft)}
    aside{grid-area:side;width:min(430px,100vw);overflow:auto;background:var(--card);border-inline-start:1px solid var(--line);padding:12px 16px}
    aside>.bar{position:sticky;top:-12px;z-index:2;background:var(--card);margin:-12px -16px 0;padding:10px 12px}
    aside h2{font-size:16px;margin:0;overflow-wrap:anywhere}.field{padding:9px 0;border-top:1px solid var(--line)}
    .field>.label{display:flex;gap:8px;align-items:baseline;margin-bottom:3px}.field .name{font-weight:600;overflow-wrap:anywhere}
    .field .type{color:var(--soft);font-size:12px;overflow-wrap:anywhere}.field textarea,.field input[type=text]{width:100%}
    .field textarea{min-height:34px;max-height:60vh;resize:vertical;field-sizing:content}.field .row{display:flex;gap:6px;align-items:center;margin-top:4px;
    flex-wrap:wrap}.field .row>.wide{flex:1;min-width:0}
    .field .row>button.wide{text-align:start;color:var(--accent);overflow:hidden;text-overflow:ellipsis;white-space:nowrap}
    .field textarea{display:block}.element{overflow-wrap:anywhere}.field .row>.key{flex:0 1 120px;width:120px;min-width:0}.field img{max-width:100%;max-height:320px;display:block;border-radius:8px;
    margin:4px 0;background:repeating-conic-gradient(#8883 0 25%,#0000 0 50%) 0/16px 16px}.field [aria-invalid=true]{border-color:var(--bad)}.error{color:var(--bad);margin:4px 0;overflow-wrap:anywhere}
    .picker{border:1px solid var(--line);border-radius:8px;padding:8px;margin-top:6px}.picker ul{list-style:none;margin:6px 0 0;padding:0;
    max-height:200px;overflow:auto}.picker li button{width:100%;text-align:start}
    fieldset{border:1px solid var(--line);border-radius:8px;margin:8px 0;padding:4px 12px}legend{padding:0 4px}dialog form{min-width:min(380px,80vw)}
    dialog{border:1px solid var(--line);border-radius:12px;background:var(--card);color:var(--ink);max-width:min(900px,94vw)}
    pre{overflow:auto;font:12.5px/1.5 ui-monospace,Menlo,Consolas,monospace}
    @media(max-width:760px){#app{grid-template:auto auto auto 1fr/minmax(0,1fr);grid-template-areas:"top" "note" "nav" "main"}
    nav{border:0;border-bottom:1px solid var(--line);padding:6px 10px}nav ul{display:flex;overflow:auto}nav input{display:none}
    nav button{white-space:nowrap}main{grid-auto-flow:row}aside{position:fixed;inset:0;z-index:8;width:100%}header button:disabled{display:none}.th,.td{width:130px}}
    """#
}
