/** The kinds of `resource.k8s.io`: what was asked for stays as it was, and what devices there are has a generation. */
import { type FieldError, invalid } from '../../../api/field-error.ts'
import { FieldPath } from '../../../api/field-path.ts'
import { equalJson, type JsonValue } from '../../../api/json.ts'
import { checkSubdomainName } from '../../../api/names.ts'
import type { KubeObject } from '../../../api/object.ts'
import type { ResourceSliceSpec } from '../../../catalog/types/resource-v1beta1.ts'
import type { KindRules } from '../../kind-rules.ts'
import { statusOnly, withStatus } from '../../plain-rules.ts'
import { immutableMessage } from '../pods/checks.ts'
import { invalidAs } from '../pods/go-syntax.ts'

type WithSpec = KubeObject & { spec: JsonValue }
type Slice = KubeObject & { spec: ResourceSliceSpec }

const specPath = FieldPath.of('spec')

const sameSpec =
  (goType: string) =>
  ({ spec }: WithSpec, old: WithSpec): FieldError[] =>
    equalJson(spec, old.spec) ? [] : [invalidAs(specPath, `resource.${goType}{}`, immutableMessage)]

export const claimRules = (): KindRules<WithSpec> => ({
  strategy: withStatus<WithSpec>({ validateUpdate: sameSpec('ResourceClaimSpec') }),
  parts: { status: statusOnly<WithSpec>({}) },
  returnsDeleted: true,
})

export const claimTemplateRules = (): KindRules<WithSpec> => ({
  strategy: { validateName: checkSubdomainName, validateUpdate: sameSpec('ResourceClaimTemplateSpec') },
  returnsDeleted: true,
})

/** Device classes and taint rules. */
export const deviceRules = (): KindRules => ({
  strategy: { validateName: checkSubdomainName, generation: 'spec' },
  returnsDeleted: true,
})

function validateSliceUpdate({ spec }: Slice, { spec: old }: Slice): FieldError[] {
  const fixed: [FieldPath, string | undefined, string | undefined][] = [
    [specPath.child('pool', 'name'), spec.pool.name, old.pool.name],
    [specPath.child('driver'), spec.driver, old.driver],
    [specPath.child('nodeName'), spec.nodeName, old.nodeName],
  ]
  return fixed.flatMap(([at, now, before]) => (now === before ? [] : [invalid(at, now, immutableMessage)]))
}

export const sliceRules = (): KindRules<Slice> => ({
  strategy: { validateName: checkSubdomainName, generation: 'spec', validateUpdate: validateSliceUpdate },
  fields: {
    'spec.driver': (slice) => (slice as Slice).spec.driver,
    'spec.nodeName': (slice) => (slice as Slice).spec.nodeName ?? '',
  },
  returnsDeleted: true,
})
