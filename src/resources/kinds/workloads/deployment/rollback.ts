/**
 * `deployments/rollback` of the versions before `apps/v1beta2`: notes in a deployment which revision it shall go back to.
 * The controller of deployments does the rest, and takes the note away.
 * Mirrors pkg/apis/apps/validation: ValidateDeploymentRollback.
 * Mirrors pkg/registry/apps/deployment/storage: RollbackREST.
 */

import { invalid as invalidField, required } from '../../../../api/field-error.ts'
import { FieldPath } from '../../../../api/field-path.ts'
import { quote } from '../../../../api/golang/quote.ts'
import type { GroupVersion } from '../../../../api/group-version.ts'
import { type JsonObject, setKey } from '../../../../api/json.ts'
import type { KubeObject } from '../../../../api/object.ts'
import { badRequest, invalid } from '../../../../api/status-error.ts'
import { schemaForKind } from '../../../../catalog/catalog.ts'
import type { Strategy } from '../../../../registry/strategy.ts'
import type { ActionResult, ActionSubresource } from '../../../../registry/subresource.ts'
import { update } from '../../../../registry/update.ts'
import type { Errors } from '../../../checks/checks.ts'
import { rollbackKey } from '../../../conversions/older/workloads.ts'
import type { KindServices } from '../../../kind-rules.ts'
import { withoutAdmission, writeRequestOf } from '../../pods/pod-action.ts'

interface DeploymentRollback extends KubeObject {
  readonly name?: string
  readonly updatedAnnotations?: Record<string, string>
  readonly rollbackTo?: { readonly revision?: number }
}

const kind = 'DeploymentRollback'

export function rollbackAction(services: KindServices, version: GroupVersion): ActionSubresource {
  const schema = schemaForKind({ ...version, kind })
  if (schema === undefined) throw new Error(`${version.version} has no ${kind}`)
  return {
    type: 'action',
    kind: { group: version.group, version: version.version, kind },
    schema,
    async create(request) {
      const rollback = request.body as DeploymentRollback
      const { name = '' } = rollback
      const errors = validate(rollback)
      if (errors.length > 0) throw invalid({ group: 'apps', kind }, name, errors)
      if (name !== request.name) throw badRequest('name in URL does not match name in DeploymentRollback object')
      await request.admit(rollback)
      const registry = services.registry(version.group, 'deployments')
      const change = { strategy: plain, apply: (current: KubeObject) => noted(current, rollback) }
      await update(withoutAdmission(registry), change, writeRequestOf(registry, request, ''))
      return done(name)
    },
  }
}

/** Neither admitted nor checked nor counted: the note alone changes. */
const plain: Strategy = {}

function validate({ name = '', rollbackTo }: DeploymentRollback): Errors {
  const errors: Errors = []
  const { revision = 0 } = rollbackTo ?? {}
  if (name === '') errors.push(required(FieldPath.of('name'), 'name is required'))
  if (revision < 0) {
    errors.push(invalidField(FieldPath.of('rollback', 'version'), revision, 'must be greater than or equal to 0'))
  }
  return errors
}

function noted(current: KubeObject, { updatedAnnotations = {}, rollbackTo = {} }: DeploymentRollback): KubeObject {
  const annotations: JsonObject = { ...current.metadata.annotations }
  for (const [key, value] of Object.entries(updatedAnnotations)) setKey(annotations, key, value)
  annotations[rollbackKey] = String(rollbackTo.revision ?? 0)
  return { ...current, metadata: { ...current.metadata, annotations: annotations as Record<string, string> } }
}

/** The reference answers 201 with a body that says 200. */
const done = (name: string): ActionResult => ({
  code: 201,
  body: {
    kind: 'Status',
    apiVersion: 'v1',
    metadata: {},
    status: 'Success',
    message: `rollback request for deployment ${quote(name)} succeeded`,
    code: 200,
  },
})
