// What every CEL expression may use: macros, libraries, UTC times, homogeneous literals, one value from one expression, and only the variables that are offered.
import { crd, install } from '../support/definitions.mjs'

const CRDS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions'
const group = 'spec-cel.example.com'

export default async (t) => {
  const ns = await t.namespace()
  const properties = {
    s: { type: 'string', maxLength: 40 },
    n: { type: 'integer' },
    f: { type: 'number' },
    list: { type: 'array', maxItems: 5, items: { type: 'integer' } },
    map: { type: 'object', maxProperties: 5, additionalProperties: { type: 'string', maxLength: 9 } },
  }
  const compile = async (label, rule) => {
    const { status, body } = await t.post(
      `${CRDS}?dryRun=All`,
      crd({
        group,
        plural: 'things',
        kind: 'Thing',
        spec: { type: 'object', properties, 'x-kubernetes-validations': [{ rule }] },
      }),
      { quiet: true },
    )
    t.note(
      label,
      status === 201
        ? 'compiles'
        : body.details?.causes?.map((c) => c.message.replace(/^.*?compilation failed: /s, '')),
    )
  }
  // Refused: values of several types in one literal, more than one expression, variables that this field does not offer.
  await compile('a list of two types', "[1, 'a'].size() == 2")
  await compile('map values of two types', "{'a': 1, 'b': 'x'}.size() == 2")
  await compile('map keys of two types', "{'a': 1, 2: 1}.size() == 2")
  await compile('two expressions', 'self.n > 0; self.n < 5')
  await compile('an assignment', 'self.n = 5')
  await compile('another variable', "object.s == 'x'")
  await compile('no authorizer here', "authorizer.path('/healthz').check('get').allowed()")
  await compile('no user here', "request.userInfo.username == 'x'")
  await compile('an unknown function', 'self.s.shout()')
  await compile('a wrong argument', 'self.s.substring(true) == self.s')
  await compile('int and string', "self.n == 'x'")
  await compile('int and double', 'self.n < 1.5 && self.f >= 2 && 1u < 2 && 3.0 > self.n')
  await compile('int equals double', 'self.n == 1.5')

  // At work: each rule must hold for the object below.
  const rules = {
    macros:
      'has(self.s) && !has(self.none) && self.list.all(x, x > 0) && self.list.exists(x, x == 2) && self.list.exists_one(x, x == 1) && self.list.map(x, x * x) == [9, 4, 9, 1].filter(x, x > 0) && self.list.filter(x, x > 2).size() == 1 + 1',
    macroOnMaps:
      "self.map.all(k, self.map[k] != '') && self.map.exists(k, k == 'b') && self.map.exists_one(k, self.map[k] == 'y') && self.map.map(k, k).size() == 2 && self.map.filter(k, k > 'a') == ['b']",
    strings:
      "self.s.charAt(1) == 'e' && self.s.indexOf('o') == 4 && self.s.indexOf('o', 5) == 7 && self.s.lastIndexOf('o') == 7 && self.s.upperAscii() == 'HELLO WORLD' && self.s.replace('o', '0', 1) == 'Hell0 World' && self.s.split(' ').size() == 2 && self.s.split(' ', 1).size() == 1 && self.s.substring(6) == 'World' && ' \\t x'.trim() == 'x'",
    join: "size(['Hello', 'World'].join('-')) == 11 && size(['a', 'b'].join()) == 2",
    standard:
      "self.s.startsWith('He') && self.s.endsWith('ld') && self.s.contains('lo W') && self.s.matches('^[A-Z].*d$') && size(self.s) == 11 && self.s + '!' == 'Hello World!' && 'x' in ['x'] && int(3.9) == 3 && double('1.5') == 1.5 && self.n in self.list",
    lists:
      '[1, 2, 3].isSorted() && !self.list.isSorted() && self.list.sum() == 9 && self.list.min() == 1 && self.list.max() == 3 && self.list.indexOf(3) == 0 && self.list.lastIndexOf(3) == 2',
    regex:
      "self.s.find('[a-z]+') == 'ello' && self.s.find('[0-9]') == '' && self.s.findAll('[A-Z]') == ['H', 'W'] && self.s.findAll('o', 1) == ['o']",
    urls: "isURL('https://example.com:80/') && !isURL('not a url') && url('https://a:1/p?x=1&x=2').getQuery()['x'] == ['1', '2'] && url('https://[::1]:80/p%20q').getHostname() == '::1' && url('https://a/p q').getEscapedPath() == '/p%20q' && url('/p').getHost() == '' && url('/p').getScheme() == ''",
    utc: "timestamp('2024-05-06T23:30:00+02:00').getHours() == 21 && timestamp('2024-05-06T23:30:00Z').getDayOfMonth() == 5 && timestamp('2024-05-06T23:30:00Z').getDate() == 6 && timestamp('2024-05-06T23:30:00Z').getHours('+02:00') == 1 && timestamp('2024-05-06T23:30:00Z').getDayOfWeek('Asia/Tokyo') == 2",
    quantities:
      "isQuantity('1.5Gi') && quantity('50k').isGreaterThan(quantity('49k')) && quantity('200M').compareTo(quantity('0.2G')) == 0 && quantity('10').sub(3).asInteger() == 7 && sign(quantity('-1')) == -1",
    optionals:
      "self.?none.orValue('d') == 'd' && self.?s.hasValue() && self.map[?'zz'].hasValue() == false && !optional.ofNonZeroValue('').hasValue() && [1, 2][?5].orValue(7) == 7",
    numbers:
      'self.n == 3 && self.f == 2.5 && self.f < self.n && self.n > self.f && 7 / 2 == 3 && -7 % 3 == -1 && 0.1 + 0.2 != 0.3 && 5u - 2u == 3u',
  }
  const all = { ...properties, none: { type: 'string', maxLength: 5 } }
  const made = {}
  for (const [name, rule] of Object.entries(rules)) {
    const { status, body } = await t.post(
      `${CRDS}?dryRun=All`,
      crd({
        group,
        plural: 'probes',
        kind: 'Probe',
        spec: { type: 'object', properties: all, 'x-kubernetes-validations': [{ rule }] },
      }),
      { quiet: true },
    )
    made[name] = status
    t.note(
      `rule ${name}`,
      status === 201
        ? 'compiles'
        : body.details?.causes?.map((c) => c.message.replace(/^.*?compilation failed: /s, '')),
    )
  }
  const good = Object.keys(rules).filter((n) => made[n] === 201)
  await install(
    t,
    crd({
      group,
      plural: 'values',
      kind: 'Value',
      spec: {
        type: 'object',
        properties: Object.fromEntries(
          good.map((n) => [
            n,
            {
              type: 'object',
              properties: all,
              'x-kubernetes-validations': [{ rule: rules[n], message: `${n} failed` }],
            },
          ]),
        ),
      },
    }),
  )
  const value = { s: 'Hello World', n: 3, f: 2.5, list: [3, 2, 3, 1], map: { a: 'x', b: 'y' } }
  await t.post(
    `/apis/${group}/v1/namespaces/${ns}/values`,
    {
      apiVersion: `${group}/v1`,
      kind: 'Value',
      metadata: { name: 'v' },
      spec: Object.fromEntries(good.map((n) => [n, value])),
    },
    {
      pick: (b) =>
        b.kind === 'Status' ? b.details?.causes?.map((c) => [c.field, c.message]).sort() : Object.keys(b.spec),
    },
  )
}
