// CEL rules refused when the CustomResourceDefinition is made: compile errors, wrong result types, bad paths, reasons and cost.
import { crd } from '../support/definitions.mjs'
import { unordered } from '../support/picks.mjs'

const CRDS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions'

export default async (t) => {
  const group = 'celbad.extend.conformance.example.com'
  const properties = {
    a: { type: 'string' },
    n: { type: 'integer' },
    list: { type: 'array', items: { type: 'string' } },
    rows: { type: 'array', items: { type: 'object', properties: { x: { type: 'integer' } } } },
    free: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
    'd-ash': { type: 'string' },
  }
  const rule = (...rules) =>
    t.post(
      `${CRDS}?dryRun=All`,
      crd({
        group,
        plural: 'things',
        kind: 'Thing',
        spec: { type: 'object', properties, 'x-kubernetes-validations': rules },
      }),
      {
        pick: (b) =>
          b.kind === 'Status'
            ? unordered(b)
            : { allowed: b.spec?.versions?.[0].schema.openAPIV3Schema.properties.spec['x-kubernetes-validations'] },
      },
    )
  const inside = (schema) =>
    t.post(
      `${CRDS}?dryRun=All`,
      crd({ group, plural: 'things', kind: 'Thing', spec: { type: 'object', properties: { p: schema } } }),
      { pick: (b) => (b.kind === 'Status' ? unordered(b) : { allowed: true }) },
    )

  await rule({ rule: 'self.a ==' })
  await rule({ rule: 'self.missing == 1' })
  await rule({ rule: "self.a == 1 && self.n == 'x'" })
  await rule({ rule: 'self.a' })
  await rule({ rule: 'unknown(self.a)' })
  await rule({ rule: 'other.a == "x"' })
  await rule({ rule: '' })
  await rule({ rule: '  ' })
  await rule({ rule: 'self.free.x == 1' })
  await rule({ rule: "self.d-ash == 'x'" })
  await rule({ rule: 'true', message: 'two\nlines' })
  await rule({ rule: 'self.a.matches("\\n")' })
  await rule({ rule: 'self.a == "x"\n && true' })
  await rule({ rule: 'true', message: ' ' })
  await rule({ rule: 'true', messageExpression: 'self.n' })
  await rule({ rule: 'true', messageExpression: 'self.none + ' })
  await rule({ rule: 'true', reason: 'Because' })
  await rule({ rule: 'true', fieldPath: '.none' })
  await rule({ rule: 'true', fieldPath: 'a' })
  await rule({ rule: 'true', fieldPath: '.list[0]' })
  await rule({ rule: 'self.n > 0', optionalOldSelf: true })
  await inside({ type: 'array', items: { type: 'string', 'x-kubernetes-validations': [{ rule: 'self == oldSelf' }] } })
  await inside({
    type: 'array',
    items: { type: 'array', items: { type: 'string', 'x-kubernetes-validations': [{ rule: 'self.contains("x")' }] } },
  })
  await inside({
    type: 'array',
    items: { type: 'string' },
    'x-kubernetes-validations': [{ rule: 'self.all(x, self.all(y, self.all(z, x + y == z)))' }],
  })
  await inside({
    type: 'array',
    maxItems: 5,
    items: { type: 'string', maxLength: 5 },
    'x-kubernetes-validations': [{ rule: 'self.all(x, self.all(y, self.all(z, x + y == z)))' }],
  })
}
