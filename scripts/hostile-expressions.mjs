// Expressions that make the most of megabytes, for `npm run bench:cel -- --hostile`: whatever a user may write over an
// object as large as a request can be. `$` stands for the root of the object, `#` for the name of the data.
import { readFileSync } from 'node:fs'
import { integer, object, text } from './bench-schema.mjs'

/** Objects of about three megabytes each, by what they have a lot of. */
const hostileData = {
  text: { text: 'a'.repeat(3_000_000), short: 'abc' },
  spaces: { text: ' '.repeat(3_000_000), short: ' ' },
  mixed: { text: 'aB "\\'.repeat(600_000), short: 'B' },
  wide: { text: '\u{1f600}é'.repeat(500_000), short: '\u{1f600}' },
  escapes: { text: `http://h/${'%41'.repeat(1_000_000)}`, short: '%' },
  query: { text: `http://h/?${'a=1&'.repeat(700_000)}`, short: '&' },
  digits: { text: '1'.repeat(3_000_000), short: '1' },
  version: { text: `1.2.3-${'a.'.repeat(1_400_000)}a`, short: '1.2.3' },
  colons: { text: ':'.repeat(3_000_000), short: '::' },
  texts: { texts: Array.from({ length: 300_000 }, (_, i) => `t${i}`) },
  empties: { texts: Array.from({ length: 1_000_000 }, () => '') },
  numbers: { numbers: Array.from({ length: 600_000 }, (_, i) => i) },
  doubles: { doubles: Array.from({ length: 300_000 }, (_, i) => i + 0.5) },
  times: { times: Array.from({ length: 130_000 }, () => '2026-01-02T03:04:05Z') },
  spans: { spans: Array.from({ length: 300_000 }, (_, i) => `${i}s`) },
  items: { items: Array.from({ length: 80_000 }, (_, i) => ({ name: `n${i}`, port: i })) },
  keyed: { keyed: Array.from({ length: 80_000 }, (_, i) => ({ name: `n${i}`, port: i })) },
  set: { set: Array.from({ length: 300_000 }, (_, i) => `t${i}`) },
  map: { map: Object.fromEntries(Array.from({ length: 200_000 }, (_, i) => [`k${i}`, `v${i}`])) },
  lists: { lists: Array.from({ length: 300_000 }, () => [1, 2, 3]) },
  addresses: { texts: Array.from({ length: 250_000 }, (_, i) => `10.${i >> 16}.${(i >> 8) & 255}.${i & 255}`) },
  networks: { texts: Array.from({ length: 200_000 }, (_, i) => `10.${i >> 16}.${(i >> 8) & 255}.0/24`) },
  quantities: { texts: Array.from({ length: 300_000 }, (_, i) => `${i}Mi`) },
}

const everyText = ['text', 'spaces', 'mixed', 'wide', 'escapes', 'query', 'digits', 'version', 'colons']

/** The name of the data (or several) and what to do with it. */
const hostileExpressions = [
  [everyText, '$.text.size()'],
  [everyText, "$.text.matches('^[a-z]*$')"],
  [everyText, "$.text.matches('(a|b|ab)*c')"],
  [everyText, "$.text.find('b+$')"],
  [everyText, "$.text.findAll('[^x]')"],
  [everyText, "$.text.findAll('.')"],
  [everyText, "$.text.split('')"],
  [everyText, '$.text.split($.short)'],
  [everyText, "$.text.split('a', 1000000)"],
  [everyText, "$.text.split('').join('-')"],
  [everyText, "$.text.replace('', 'xy')"],
  [everyText, "$.text.replace('a', 'bcd')"],
  [everyText, "$.text.replace($.short, '', 1000000)"],
  [everyText, '$.text.upperAscii()'],
  [everyText, '$.text.lowerAscii()'],
  [everyText, '$.text.trim()'],
  [everyText, '$.text.substring(1000, 2000)'],
  [everyText, '$.text.substring(900000)'],
  [everyText, '$.text.charAt(900000)'],
  [everyText, "$.text.indexOf('zz')"],
  [everyText, "$.text.lastIndexOf('zz')"],
  [everyText, '$.text.lastIndexOf($.short)'],
  [everyText, '$.text + $.text == $.text'],
  [everyText, '$.text < $.text + $.short'],
  [everyText, '$.text.contains($.short + $.short)'],
  [everyText, '$.text.contains($.text)'],
  [everyText, 'strings.quote($.text)'],
  [everyText, "'%s %s'.format([$.text, $.text])"],
  [everyText, "'%x'.format([$.text])"],
  [everyText, "'%s'.format([[$.text, $.text]])"],
  [everyText, '$.text.format([])'],
  [everyText, 'bytes($.text)'],
  [everyText, 'string(bytes($.text))'],
  [everyText, 'base64.encode(bytes($.text))'],
  [everyText, 'base64.decode($.text)'],
  [everyText, 'url($.text)'],
  [everyText, 'isURL($.text)'],
  [everyText, 'url($.text).getEscapedPath()'],
  [everyText, 'url($.text).getQuery()'],
  [everyText, 'url($.text) == url($.text)'],
  [everyText, 'isIP($.text)'],
  [everyText, 'ip($.text)'],
  [everyText, 'isCIDR($.text)'],
  [everyText, 'cidr($.text)'],
  [everyText, 'isQuantity($.text)'],
  [everyText, 'quantity($.text)'],
  [everyText, "quantity($.text).isGreaterThan(quantity('1'))"],
  [everyText, 'isSemver($.text)'],
  [everyText, 'semver($.text)'],
  [everyText, 'semver($.text).compareTo(semver($.text))'],
  [everyText, 'timestamp($.text)'],
  [everyText, 'duration($.text)'],
  [everyText, 'int($.text)'],
  [everyText, 'uint($.text)'],
  [everyText, 'double($.text)'],
  [everyText, 'bool($.text)'],
  [everyText, 'format.dns1123Label().value().validate($.text)'],
  [everyText, 'format.uri().value().validate($.text)'],
  [everyText, 'format.byte().value().validate($.text)'],
  [everyText, 'format.datetime().value().validate($.text)'],
  [everyText, 'format.qualifiedName().value().validate($.text)'],
  [everyText, 'format.labelValue().value().validate($.text)'],
  [everyText, "[$.text, $.text, $.text].join(',')"],
  [everyText, '[$.text].max()'],
  [everyText, '[$.text, $.text].isSorted()'],
  [everyText, "{$.text: 1}[$.text + '']"],
  [everyText, "optional.of($.text) == optional.of($.text + '')"],
  [everyText, '$[$.text]'],
  [everyText, '[$.text].join(1)'],
  [['texts', 'empties'], '$.texts.join()'],
  [['texts', 'empties'], "$.texts.join(', ')"],
  [['texts', 'empties'], "'%s'.format([$.texts])"],
  [['texts', 'empties'], "$.texts.indexOf('zz')"],
  [['texts', 'empties'], "$.texts.lastIndexOf('zz')"],
  [['texts', 'empties'], "'zz' in $.texts"],
  [['texts', 'empties'], '$.texts.isSorted()'],
  [['texts', 'empties'], '$.texts.max()'],
  [['texts', 'empties'], '$.texts == $.texts'],
  [['texts', 'empties'], '$.texts + $.texts == $.texts + $.texts'],
  [['texts', 'empties'], 'sets.contains($.texts, $.texts)'],
  [['texts', 'empties'], 'sets.equivalent($.texts, $.texts)'],
  [['texts', 'empties'], "sets.intersects($.texts, ['zz'])"],
  [['texts', 'empties'], "$.texts.all(x, x != 'zz')"],
  [['texts', 'empties'], "$.texts.exists_one(x, x == 'zz')"],
  [['texts', 'empties'], '$.texts.map(x, [x])'],
  [['texts', 'empties'], "$.texts.filter(x, x != 'zz').size()"],
  [['texts', 'empties'], '$.texts.map(x, x.size()).sum()'],
  [['texts', 'empties'], '$.texts.map(x, dyn(1)).join()'],
  [['numbers'], '$.numbers.sum()'],
  [['numbers'], '$.numbers.max()'],
  [['numbers'], '$.numbers.isSorted()'],
  [['numbers'], '$.numbers.indexOf(-1)'],
  [['numbers'], '-1 in $.numbers'],
  [['numbers'], '$.numbers == $.numbers'],
  [['numbers'], "'%s'.format([$.numbers])"],
  [['numbers'], "'%d'.format([$.numbers])"],
  [['numbers'], "$.numbers.map(x, string(x)).join(',')"],
  [['numbers'], "$.numbers.map(x, '%d'.format([x]))"],
  [['numbers'], "$.numbers.map(x, '%e'.format([double(x)]))"],
  [['numbers'], "$.numbers.map(x, '%.1000f'.format([double(x)]))"],
  [['numbers'], "$.numbers.map(x, '%b'.format([x]))"],
  [['numbers'], '$.numbers.map(x, timestamp(x).getHours())'],
  [['numbers'], "$.numbers.map(x, timestamp(x).getHours('America/New_York'))"],
  [['numbers'], 'dyn($.numbers) == dyn($.numbers.map(x, x))'],
  [['doubles'], '$.doubles.sum()'],
  [['doubles'], '$.doubles.max()'],
  [['doubles'], "'%s'.format([$.doubles])"],
  [['doubles'], '$.doubles == $.doubles'],
  [['doubles'], '$.doubles.indexOf(-1.0)'],
  [['doubles'], '$.doubles.map(x, string(x))'],
  [['times'], '$.times.max()'],
  [['times'], '$.times.isSorted()'],
  [['times'], "$.times.indexOf(timestamp('2027-01-01T00:00:00Z'))"],
  [['times'], '$.times == $.times'],
  [['times'], "$.times.all(x, x < timestamp('2027-01-01T00:00:00Z'))"],
  [['times'], "'%s'.format([$.times])"],
  [['times'], '$.times.map(x, x.getFullYear())'],
  [['times'], "timestamp('2027-01-01T00:00:00Z') in $.times"],
  [['spans'], '$.spans.sum()'],
  [['spans'], '$.spans.max()'],
  [['spans'], "$.spans.indexOf(duration('99999999s'))"],
  [['spans'], '$.spans == $.spans'],
  [['spans'], "'%s'.format([$.spans])"],
  [['items', 'keyed'], "$.#.indexOf({'name': 'a', 'port': 1})"],
  [['items', 'keyed'], '$.#.indexOf($.#[79999])'],
  [['items', 'keyed'], '$.#.lastIndexOf($.#[0])'],
  [['items', 'keyed'], '$.#[79999] in $.#'],
  [['items', 'keyed'], '$.# == $.#'],
  [['items', 'keyed'], '$.# + $.# == $.#'],
  [['items', 'keyed'], '($.# + $.#).size()'],
  [['items', 'keyed'], "'%s'.format([$.#])"],
  [['items', 'keyed'], 'sets.contains($.#, $.#)'],
  [['items', 'keyed'], '$.#.all(x, x == x)'],
  [['items', 'keyed'], '$.#.all(x, x.port >= 0)'],
  [['items', 'keyed'], "$.#.map(x, x.name).join(',')"],
  [['items', 'keyed'], "$.#.map(x, {'a': x})"],
  [['items', 'keyed'], '$.#.transformMapEntry(i, x, {x.name: x.port})'],
  [['items', 'keyed'], '$.#.exists(x, x.name == string(x))'],
  [['set'], '$.set == $.set'],
  [['set'], '($.set + $.set).size()'],
  [['set'], "'zz' in $.set"],
  [['map'], '$.map == $.map'],
  [['map'], "'%s'.format([$.map])"],
  [['map'], "$.map.all(k, k != '')"],
  [['map'], "$.map.all(k, v, v != '')"],
  [['map'], '$.map.map(k, $.map[k])'],
  [['map'], "$.map.transformMap(k, v, v + 'x')"],
  [['map'], '[$.map].indexOf($.map)'],
  [['map'], '$.map in [$.map]'],
  [['map'], '$.map.size()'],
  [['map'], "'zz' in $.map"],
  [['lists'], '$.lists == $.lists'],
  [['lists'], '$.lists.indexOf([0])'],
  [['lists'], '$.lists.indexOf([1, 2, 4])'],
  [['lists'], "'%s'.format([$.lists])"],
  [['lists'], '$.lists.all(x, x.sum() > 0)'],
  [['addresses'], '$.texts.all(x, isIP(x))'],
  [['addresses'], '$.texts.all(x, ip(x).family() == 4)'],
  [['addresses'], '$.texts.map(x, ip(x))'],
  [['networks'], '$.texts.all(x, isCIDR(x))'],
  [['networks'], "$.texts.all(x, cidr(x).containsIP('10.0.0.1') || true)"],
  [['networks'], '$.texts.map(x, cidr(x).masked())'],
  [['quantities'], '$.texts.all(x, isQuantity(x))'],
  [['quantities'], "$.texts.map(x, quantity(x).add(quantity('1')).asApproximateFloat())"],
].flatMap(([names, expression]) => names.map((name) => [name, expression.replaceAll('#', name)]))

const list = (items, topology = 'atomic', keys = []) => ({ kind: 'list', items, topology, keys })
const item = object({ name: text, port: integer })
const schema = object({
  text,
  short: text,
  texts: list(text),
  numbers: list(integer),
  doubles: list({ kind: 'number' }),
  times: list({ kind: 'string', constraints: { format: 'date-time' } }),
  spans: list({ kind: 'string', constraints: { format: 'duration' } }),
  items: list(item),
  keyed: list(item, 'map', ['name']),
  set: list(text, 'set'),
  map: { kind: 'map', values: text, atomic: false },
  lists: list(list(integer)),
})

/** Milliseconds that the main thread has been on the processor; collecting garbage beside it holds nobody up. */
function threadTime() {
  try {
    return Number(readFileSync('/proc/self/schedstat', 'utf8').split(' ')[0]) / 1e6
  } catch {
    return performance.now()
  }
}

/** What the machine makes of plain work and of memory now: figures of a busy one are to be read with these. */
function calibrate() {
  const places = new Int32Array(4_000_000)
  const measure = (work) => {
    work()
    const start = threadTime()
    work()
    return threadTime() - start
  }
  let sum = 0
  const counting = measure(() => {
    for (let i = 0; i < 100_000_000; i++) sum = (sum * 31 + i) | 0
  })
  const jumping = measure(() => {
    for (let i = 0; i < places.length; i++) sum = (sum + places[(i * 7919) % places.length]) | 0
  })
  return `100 million additions ${Math.round(counting)} ms, 4 million places in memory ${Math.round(jumping)} ms${sum === 0.5 ? ' ' : ''}`
}

/** Prints the best of three runs of each, with declared data (`self`) and with data of any kind (`object`). */
export function measureHostile(engine, filter) {
  process.stdout.write(`${calibrate()}\n`)
  const declared = new engine.DeclaredType(schema, { name: 'selfType' })
  const environments = {
    self: engine.validationRuleEnvironment(engine.storedExpressions(), declared),
    object: engine.admissionEnvironment(engine.storedExpressions()),
  }
  const rows = []
  for (const [name, expression] of hostileExpressions) {
    if (!`${name} ${expression}`.includes(filter)) continue
    for (const [root, environment] of Object.entries(environments)) {
      const compiled = environment.compile(expression.replaceAll('$', root))
      if (!compiled.ok) continue
      let best = Number.POSITIVE_INFINITY
      let result
      for (let i = 0; i < 3; i++) {
        const start = threadTime()
        result = compiled.program.evaluate({ [root]: hostileData[name] })
        best = Math.min(best, threadTime() - start)
      }
      const end = result.kind === 'value' ? `a value, cost ${result.cost}` : result.message.slice(0, 60)
      rows.push({ best, line: `${name.padEnd(10)} ${expression.replaceAll('$', root).padEnd(56)} ${end}` })
    }
  }
  rows.sort((a, b) => b.best - a.best)
  for (const { best, line } of rows) process.stdout.write(`${best.toFixed(1).padStart(7)} ms  ${line}\n`)
  process.stdout.write(
    `${rows.filter(({ best }) => best > 100).length} of ${rows.length} held the thread for more than 100 ms\n`,
  )
}
