/** The viewer of a trace: runs in a browser, from the page alone. Makes elements, never markup; texts stay texts. */
export const viewerScript = String.raw`
'use strict'
const data = JSON.parse(document.getElementById('trace').textContent)
const element = (tag, className, ...children) => {
  const made = document.createElement(tag)
  if (className) made.className = className
  made.append(...children)
  return made
}
const shown = (value) => (typeof value === 'string' ? value : JSON.stringify(value, null, 2))
const clock = (time) => {
  const ms = Math.round(time - data.begin)
  return ms >= 60000 || ms <= -60000 ? '+' + (ms / 60000).toFixed(1) + ' min' : '+' + (ms / 1000).toFixed(3) + ' s'
}
const part = (title, value) =>
  value === undefined || value === '' || (Array.isArray(value) && value.length === 0)
    ? []
    : [element('h2', '', title), element('pre', '', shown(value))]
const byUid = new Map(data.objects.filter(({ uid }) => uid).map((object) => [object.uid, object]))
const byId = new Map(data.objects.map((object) => [object.id, object]))
const kinds = ['request', 'call', 'change', 'event', 'fault', 'clock', 'state']
const state = { tab: 'Timeline', text: '', hidden: new Set(), chosen: undefined }

function differences(list) {
  const box = element('pre', '')
  for (const { path, before, after } of list) {
    if (before !== undefined) box.append(element('span', 'removed', '- ' + path + ': ' + shown(before) + '\n'))
    if (after !== undefined) box.append(element('span', 'added', '+ ' + path + ': ' + shown(after) + '\n'))
  }
  return box
}

function versionBox(version) {
  const head = clock(version.time) + '  ' + version.what + ' at revision ' + version.revision
  const by = version.manager ? ' by ' + version.manager : ''
  return element('div', 'version', element('div', version.what === 'deleted' ? 'bad' : '', head + by), differences(version.differences))
}

function link(object) {
  const button = element('button', '', object.title)
  button.addEventListener('click', () => {
    state.tab = 'Objects'
    state.chosen = object.id
    render()
  })
  return button
}

function objectDetail(object) {
  const owners = object.owners.map((uid) => byUid.get(uid))
  const owned = data.objects.filter((other) => object.uid && other.owners.includes(object.uid))
  const links = (title, list) =>
    list.length === 0 ? [] : [element('h2', '', title), element('p', '', ...list.map((each, i) => (each ? link(each) : object.owners[i])))]
  return [
    element('h2', '', object.title + (object.isDeleted ? ' (deleted)' : '')),
    ...links('Owners', owners),
    ...links('Owns', owned),
    element('h2', '', 'History'),
    ...object.versions.map(versionBox),
    ...part(object.isDeleted ? 'Last state' : 'State', object.object),
  ]
}

function entryDetail(entry) {
  const object = entry.object === undefined ? undefined : byId.get(entry.object)
  const version = object && object.versions.find(({ revision }) => revision === entry.revision)
  return [
    element('h2', '', entry.title),
    ...part('Facts', entry.facts),
    ...part('Warnings', entry.warnings),
    ...part('Faults', entry.faults),
    ...part('Body', entry.body),
    ...part('Answer', entry.answer),
    ...part('Audit annotations', entry.annotations),
    ...(version ? [element('h2', '', 'What changed'), versionBox(version)] : []),
    ...(object ? [element('h2', '', 'Object'), link(object)] : []),
  ]
}

const matches = (text) => text.toLowerCase().includes(state.text.toLowerCase())

function row(id, cells, className) {
  const made = element('button', 'row ' + (className || ''), ...cells)
  if (id === state.chosen) made.classList.add('chosen')
  made.dataset.id = id
  made.addEventListener('click', () => {
    state.chosen = id
    render()
  })
  return made
}

function timeline() {
  return data.entries
    .map((entry, i) => ({ entry, id: 'entry-' + i }))
    .filter(({ entry }) => !state.hidden.has(entry.kind) && matches(entry.kind + ' ' + entry.title + ' ' + (entry.outcome || '')))
    .map(({ entry, id }) => ({
      id,
      detail: () => entryDetail(entry),
      row: () =>
        row(id, [
          element('span', 'time', clock(entry.time)),
          element('span', 'kind', entry.kind),
          element('span', 'what', entry.title),
          element('span', entry.isBad ? 'bad' : 'good', entry.outcome || ''),
        ]),
    }))
}

function objects() {
  const found = []
  const seen = new Set()
  const add = (object, depth) => {
    if (seen.has(object.id)) return
    seen.add(object.id)
    found.push({ object, depth })
    for (const other of data.objects) if (object.uid && other.owners.includes(object.uid)) add(other, depth + 1)
  }
  for (const object of data.objects) if (!object.owners.some((uid) => byUid.has(uid))) add(object, 0)
  for (const object of data.objects) add(object, 0)
  return found
    .filter(({ object }) => matches(object.title))
    .map(({ object, depth }) => ({
      id: object.id,
      detail: () => objectDetail(object),
      row: () =>
        row(
          object.id,
          [
            element('span', 'time', object.versions.length + ' versions'),
            element('span', 'kind', ''),
            element('span', 'what', object.title),
            element('span', 'bad', object.isDeleted ? 'deleted' : ''),
          ],
          depth > 0 ? 'deep' + Math.min(depth, 3) : '',
        ),
    }))
}

function faults() {
  return data.faults
    .map((fault, i) => ({ fault, id: 'fault-' + i }))
    .filter(({ fault }) => matches(fault.label))
    .map(({ fault, id }) => ({
      id,
      detail: () => [element('h2', '', fault.label), ...part('Fault', fault.spec)],
      row: () =>
        row(id, [
          element('span', 'time', clock(fault.time)),
          element('span', 'kind', 'fault'),
          element('span', 'what', fault.label + ' ' + fault.text),
          element('span', '', fault.hits + ' hits'),
        ]),
    }))
}

const tabs = { Timeline: timeline, Objects: objects, Faults: faults }
const header = element('header', '', element('h1', '', data.title))
header.append(element('small', '', data.server + ' · ' + new Date(data.begin).toISOString() + (data.isCut ? ' · the oldest are left out' : '')))
if (data.errors.length > 0) header.append(element('pre', '', data.errors.join('\n\n')))
const nav = element('nav', '')
const list = element('div', '')
list.id = 'list'
const detail = element('div', '')
detail.id = 'detail'
const search = element('input', '')
search.type = 'search'
search.placeholder = 'Filter'
search.addEventListener('input', () => {
  state.text = search.value
  render()
})
document.body.append(header, nav, element('main', '', list, detail))

function toggle(name, isPressed, act) {
  const button = element('button', '', name)
  button.setAttribute('aria-pressed', String(isPressed))
  button.addEventListener('click', () => {
    act()
    render()
  })
  return button
}

function render() {
  const hadFocus = document.activeElement === search
  nav.replaceChildren(
    ...Object.keys(tabs).map((name) =>
      toggle(name, state.tab === name, () => {
        state.tab = name
        state.chosen = undefined
      }),
    ),
    search,
    ...(state.tab === 'Timeline'
      ? kinds
          .filter((kind) => data.entries.some((entry) => entry.kind === kind))
          .map((kind) =>
            toggle(kind, !state.hidden.has(kind), () => {
              if (!state.hidden.delete(kind)) state.hidden.add(kind)
            }),
          )
      : []),
  )
  if (hadFocus) search.focus()
  const items = tabs[state.tab]()
  const top = list.scrollTop
  list.replaceChildren(...(items.length === 0 ? [element('div', 'empty', 'nothing to show')] : items.map((item) => item.row())))
  list.scrollTop = top
  const chosen = items.find(({ id }) => id === state.chosen)
  detail.replaceChildren(...(chosen ? chosen.detail() : [element('div', 'empty', 'choose something on the left')]))
}
render()
`
