/** How a trace looks. */
export const viewerStyle = `
:root { color-scheme: light dark; --line: #8884; --quiet: #888; --bad: #d33; --good: #2a2; --mark: #48f3; }
* { box-sizing: border-box; }
body { margin: 0; font: 14px/1.45 system-ui, sans-serif; display: grid; grid-template-rows: auto auto 1fr; height: 100vh; }
header { padding: 12px 16px; border-bottom: 1px solid var(--line); }
h1 { font-size: 16px; margin: 0 0 4px; }
header small { color: var(--quiet); }
pre { margin: 0; white-space: pre-wrap; word-break: break-word; font: 12px/1.45 ui-monospace, monospace; }
header pre { color: var(--bad); max-height: 20vh; overflow: auto; margin-top: 8px; }
nav { display: flex; gap: 8px; padding: 8px 16px; border-bottom: 1px solid var(--line); align-items: center; flex-wrap: wrap; }
button { font: inherit; border: 1px solid var(--line); background: none; color: inherit; border-radius: 6px; padding: 2px 10px; cursor: pointer; }
button[aria-pressed=true] { background: var(--mark); }
input[type=search] { font: inherit; padding: 2px 8px; min-width: 16em; }
main { display: grid; grid-template-columns: minmax(24em, 2fr) 3fr; min-height: 0; }
main > * { overflow: auto; min-height: 0; }
#list { border-right: 1px solid var(--line); }
.row { display: grid; grid-template-columns: 6.5em 5.5em 1fr auto; gap: 8px; width: 100%; text-align: left; border: 0; border-bottom: 1px solid var(--line); border-radius: 0; padding: 3px 12px; }
.row.chosen { background: var(--mark); }
.row .what { overflow: hidden; text-overflow: ellipsis; white-space: nowrap; }
.time, .kind { color: var(--quiet); font-variant-numeric: tabular-nums; }
.bad { color: var(--bad); } .good { color: var(--good); }
.deep1 { padding-left: 32px; } .deep2 { padding-left: 52px; } .deep3 { padding-left: 72px; }
#detail { padding: 12px 16px; }
#detail h2 { font-size: 14px; margin: 16px 0 4px; } #detail h2:first-child { margin-top: 0; }
.added { color: var(--good); } .removed { color: var(--bad); }
.version { border-left: 3px solid var(--line); padding: 2px 0 2px 10px; margin: 6px 0; }
.empty { color: var(--quiet); padding: 16px; }
`
