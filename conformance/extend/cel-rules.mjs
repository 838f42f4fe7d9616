// CEL rules of a custom resource's schema: messages, messageExpression, reason, fieldPath, rules at each level, run-time failures.
import { crd, install } from '../support/definitions.mjs'
import { unordered } from '../support/picks.mjs'

export default async (t) => {
  const ns = await t.namespace()
  const group = 'celrules.extend.conformance.example.com'
  await install(
    t,
    crd({
      group,
      plural: 'things',
      kind: 'Thing',
      schema: {
        type: 'object',
        'x-kubernetes-validations': [
          { rule: "!self.metadata.name.startsWith('bad')" },
          { rule: "!has(self.spec) || !has(self.spec.need) || self.kind == 'Other'", message: 'kinds differ' },
        ],
        properties: {
          spec: {
            type: 'object',
            'x-kubernetes-validations': [
              {
                rule: '!has(self.min) || !has(self.max) || self.min <= self.max',
                message: 'min over max',
                messageExpression: "'min is over max' + (has(self.unit) ? ' ' + self.unit : '')",
                reason: 'FieldValueForbidden',
                fieldPath: '.min',
              },
              {
                rule: '!has(self.a) || has(self.b)',
                message: 'b must come with a',
                reason: 'FieldValueRequired',
                fieldPath: '.b',
              },
              {
                rule: '!has(self.dup) || self.dup.all(x, self.dup.exists_one(y, y == x))',
                reason: 'FieldValueDuplicate',
                message: 'values must differ',
                fieldPath: '.dup',
              },
              { rule: '!has(self.crash) || self.names[self.crash] != ""', message: 'never shown' },
              { rule: '!has(self.expr) || false', message: 'fallback text', messageExpression: 'self.names[5]' },
              { rule: '!has(self.lines) || false', message: 'fallback for lines', messageExpression: "'two\\nlines'" },
            ],
            properties: {
              min: { type: 'integer' },
              max: { type: 'integer' },
              unit: { type: 'string', maxLength: 8 },
              need: { type: 'string' },
              a: { type: 'string' },
              b: { type: 'string' },
              dup: { type: 'array', maxItems: 5, items: { type: 'string', maxLength: 10 } },
              crash: { type: 'integer' },
              expr: { type: 'boolean' },
              lines: { type: 'boolean' },
              names: {
                type: 'array',
                maxItems: 5,
                items: {
                  type: 'string',
                  maxLength: 10,
                  'x-kubernetes-validations': [{ rule: "self.matches('^[a-z]*$')", message: 'lower case only' }],
                },
              },
              'with-dash': {
                type: 'string',
                'x-kubernetes-validations': [{ rule: 'self.size() < 4', messageExpression: "self + ' is too long'" }],
                maxLength: 20,
              },
              dashes: {
                type: 'object',
                properties: { 'a-b': { type: 'integer' }, namespace: { type: 'string' } },
                'x-kubernetes-validations': [
                  { rule: "!has(self.a__dash__b) || self.a__dash__b < 5 && self.__namespace__ == 'x'" },
                ],
              },
              limits: {
                type: 'object',
                maxProperties: 5,
                additionalProperties: { type: 'integer', 'x-kubernetes-validations': [{ rule: 'self > 0' }] },
              },
              when: {
                type: 'string',
                format: 'date-time',
                'x-kubernetes-validations': [{ rule: "self < timestamp('2030-01-01T00:00:00Z')", message: 'too late' }],
              },
              wait: {
                type: 'string',
                format: 'duration',
                'x-kubernetes-validations': [{ rule: "self <= duration('1h')", message: 'too long a wait' }],
              },
              any: {
                'x-kubernetes-int-or-string': true,
                'x-kubernetes-validations': [
                  { rule: "type(self) == int ? self > 0 : self != ''", message: 'must not be empty' },
                ],
              },
              cpu: {
                type: 'string',
                'x-kubernetes-validations': [
                  { rule: "isQuantity(self) && quantity(self).isLessThan(quantity('2'))", message: 'less than 2 cpus' },
                  { rule: "!isURL(self) && !self.contains('..')" },
                ],
              },
            },
          },
        },
      },
    }),
  )
  const url = `/apis/${group}/v1/namespaces/${ns}/things`
  const post = (spec, name = 'a') =>
    t.post(
      `${url}?dryRun=All`,
      { apiVersion: `${group}/v1`, kind: 'Thing', metadata: { name }, spec },
      { pick: (b) => (b.kind === 'Status' ? unordered(b) : { spec: b.spec }) },
    )

  await post({
    min: 1,
    max: 2,
    names: ['x'],
    limits: { a: 1 },
    when: '2026-01-01T00:00:00Z',
    wait: '30m',
    any: 'x',
    cpu: '500m',
    dashes: { 'a-b': 1, namespace: 'x' },
  })
  await post({}, 'bad-name')
  await post({ need: 'x' })
  await post({ min: 3, max: 2 })
  await post({ min: 3, max: 2, unit: 'MiB' })
  await post({ a: 'x' })
  await post({ dup: ['x', 'x'] })
  await post({ crash: 3, names: ['x'] })
  await post({ crash: 3 })
  await post({ expr: true, names: [] })
  await post({ lines: true })
  await post({ names: ['ok', 'NOT', 'Fine'] })
  await post({ 'with-dash': 'toolong' })
  await post({ dashes: { 'a-b': 9, namespace: 'x' } })
  await post({ dashes: { 'a-b': 1 } })
  await post({ limits: { a: 0, b: 2, c: -1 } })
  await post({ when: '2031-01-01T00:00:00Z', wait: '2h' })
  await post({ any: 0 })
  await post({ any: '' })
  await post({ cpu: '3' })
  await post({ cpu: 'lots' })
  // With a type error elsewhere the rules are not run at all.
  await post({ min: 'three', max: 2, a: 'x', names: ['NOT'] })
}
