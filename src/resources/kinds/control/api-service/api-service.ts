/**
 * APIService: who answers for a group version. One without a service is answered here, and is so from the start.
 * Mirrors k8s.io/kube-aggregator/pkg/apis/apiregistration/validation: ValidateAPIService, ValidateAPIServiceUpdate,
 * ValidateAPIServiceStatusUpdate.
 * Mirrors k8s.io/kube-aggregator/pkg/registry/apiservice: apiServerStrategy, apiServerStatusStrategy.
 */

import { type FieldError, invalid, notSupported, required } from '../../../../api/field-error.ts'
import { FieldPath } from '../../../../api/field-path.ts'
import { quote } from '../../../../api/golang/quote.ts'
import {
  checkDns1035Label,
  checkDns1123Subdomain,
  checkPathSegmentName,
  checkPortNumber,
  type NameCheck,
} from '../../../../api/names.ts'
import type { KubeObject } from '../../../../api/object.ts'
import { formatTime, instantOfMillis } from '../../../../api/time.ts'
import type {
  APIServiceSpec,
  APIServiceStatus,
  ServiceReference,
} from '../../../../catalog/types/apiregistration-v1.ts'
import { keepDescription } from '../../../checks/status-metadata.ts'
import type { KindRules } from '../../../kind-rules.ts'
import { statusOnly, withStatus } from '../../../plain-rules.ts'
import { bytesOfBase64 } from '../../config/data-size.ts'

type APIService = KubeObject & { spec: APIServiceSpec; status: APIServiceStatus }

const specPath = FieldPath.of('spec')
const statuses = ['True', 'False', 'Unknown']

function validateService({ spec }: APIService): FieldError[] {
  const { group = '', version = '', service, groupPriorityMinimum, versionPriority } = spec
  const errors: FieldError[] = []
  const groupAt = specPath.child('group')
  if (group === '' && version !== 'v1') {
    errors.push(required(groupAt, 'only v1 may have an empty group and it better be legacy kube'))
  }
  if (group !== '') for (const message of checkDns1123Subdomain(group)) errors.push(invalid(groupAt, group, message))
  for (const message of checkDns1035Label(version)) errors.push(invalid(specPath.child('version'), version, message))
  const priority = (field: string, value: number, limit: number): void => {
    if (value > 0 && value <= limit) return
    errors.push(invalid(specPath.child(field), value, `must be positive and less than ${limit}`))
  }
  priority('groupPriorityMinimum', groupPriorityMinimum, 20_000)
  priority('versionPriority', versionPriority, 1000)
  return [...errors, ...(service === undefined ? validateLocal(spec) : validateRemote(spec, service))]
}

/** The prefix of a generated name is taken for a name, too. */
const nameCheck =
  ({ spec: { group = '', version = '' } }: APIService): NameCheck =>
  (name) => {
    const problems = checkPathSegmentName(name)
    const wanted = `${version}.${group}`
    if (problems.length > 0 || name === wanted) return problems
    return [`must be \`spec.version+"."+spec.group\`: ${quote(wanted)}`]
  }

function validateLocal({ caBundle = '', insecureSkipTLSVerify = false }: APIServiceSpec): FieldError[] {
  const errors: FieldError[] = []
  if (caBundle !== '') {
    const shown = `${bytesOfBase64(caBundle)} bytes`
    errors.push(invalid(specPath.child('caBundle'), shown, 'local APIServices may not have a caBundle'))
  }
  if (insecureSkipTLSVerify) {
    const why = 'local APIServices may not have insecureSkipTLSVerify'
    errors.push(invalid(specPath.child('insecureSkipTLSVerify'), insecureSkipTLSVerify, why))
  }
  return errors
}

function validateRemote(
  { caBundle = '', insecureSkipTLSVerify = false }: APIServiceSpec,
  service: ServiceReference,
): FieldError[] {
  const at = specPath.child('service')
  const { namespace = '', name = '', port = 0 } = service
  const errors: FieldError[] = []
  if (namespace === '') errors.push(required(at.child('namespace')))
  if (name === '') errors.push(required(at.child('name')))
  const messages = checkPortNumber(port)
  if (messages.length > 0) errors.push(invalid(at.child('port'), port, `port is not valid: ${messages.join(', ')}`))
  if (insecureSkipTLSVerify && caBundle !== '') {
    const why = 'may not be true if caBundle is present'
    errors.push(invalid(specPath.child('insecureSkipTLSVerify'), insecureSkipTLSVerify, why))
  }
  return errors
}

function validateStatus({ conditions = [] }: APIServiceStatus): FieldError[] {
  const at = FieldPath.of('status', 'conditions')
  return conditions.flatMap(({ status }, i) =>
    statuses.includes(status) ? [] : [notSupported(at.index(i).child('status'), status, statuses)],
  )
}

export function apiServiceRules(): KindRules<APIService> {
  return {
    strategy: withStatus<APIService>({
      validateMetadata: (metadata, object) =>
        metadata.validate({ validateName: nameCheck(object), anyFinalizer: true }),
      validateMetadataUpdate: (metadata, object) => [
        ...metadata.validateUpdate({ anyFinalizer: true }),
        ...metadata.validate({ validateName: nameCheck(object), anyFinalizer: true }),
      ],
      prepareForCreate(draft, { now }) {
        if (draft.spec.service !== undefined) return
        const local = {
          type: 'Available',
          status: 'True',
          lastTransitionTime: formatTime(instantOfMillis(now)),
          reason: 'Local',
          message: 'Local APIServices are always available',
        }
        draft.status = { conditions: [local] }
      },
      validate: validateService,
      validateUpdate: validateService,
    }),
    parts: {
      status: statusOnly<APIService>({
        validateMetadataUpdate: (metadata) => metadata.validateUpdate({ anyFinalizer: true }),
        prepareForUpdate: keepDescription,
        validateUpdate: ({ status }) => validateStatus(status),
      }),
    },
  }
}
