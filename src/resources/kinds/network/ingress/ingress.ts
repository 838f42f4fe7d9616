/**
 * Ingresses: hosts and paths that lead to backends, and the status of what implements them.
 * Mirrors pkg/apis/networking/validation: ValidateIngressCreate, ValidateIngressUpdate, ValidateIngressStatusUpdate.
 * Mirrors pkg/registry/networking/ingress: ingressStrategy, ingressStatusStrategy.
 */

import { type FieldError, invalid, notSupported, required } from '../../../../api/field-error.ts'
import { FieldPath } from '../../../../api/field-path.ts'
import { parseIp } from '../../../../api/ip.ts'
import { warningsForIp } from '../../../../api/ip-validation.ts'
import {
  checkDns1035Label,
  checkDns1123Label,
  checkDns1123Subdomain,
  checkPathSegmentName,
  checkPortName,
  checkPortNumber,
  checkSubdomainName,
  checkWildcardDns1123Subdomain,
} from '../../../../api/names.ts'
import type { KubeObject } from '../../../../api/object.ts'
import { eachItem } from '../../../../api/rules-in-steps.ts'
import { goStructs, invalidAs } from '../../../../catalog/golang/pod-syntax.ts'
import type { TypedLocalObjectReference } from '../../../../catalog/types/core-v1.ts'
import type {
  HTTPIngressPath,
  IngressBackend,
  IngressLoadBalancerIngress,
  IngressRule,
  IngressServiceBackend,
  IngressSpec,
  IngressStatus,
  IngressTLS,
} from '../../../../catalog/types/networking-v1.ts'
import type { WriteContext } from '../../../../registry/strategy.ts'
import { addMessages, type Errors } from '../../../checks/checks.ts'
import type { KindRules } from '../../../kind-rules.ts'
import { statusOnly, withStatus } from '../../../plain-rules.ts'
import { checkIngressHostname, checkOldIp, noIpMessage } from '../addresses.ts'

type Ingress = KubeObject & { spec: IngressSpec; status: IngressStatus }

const spec = FieldPath.of('spec')
const pointsAt = FieldPath.of('status', 'loadBalancer', 'ingress')
const classAnnotation = 'kubernetes.io/ingress.class'

/** What an object that is already stored may go on holding. */
interface Allowances {
  readonly anySecretName: boolean
  readonly anyWildcardRule: boolean
  /** Services may be named as any label. */
  readonly relaxedService: boolean
}

const newAllowances = (gate: WriteContext['gate']): Allowances => ({
  anySecretName: false,
  anyWildcardRule: false,
  relaxedService: gate('RelaxedServiceNameValidation'),
})

export const ingressRules = (): KindRules<Ingress> => ({
  strategy: withStatus<Ingress>(
    {
      generation: 'spec',
      validateMetadataUpdate: (metadata) => [...metadata.validateUpdate(), ...metadata.validate()],
      validate: (ingress, { gate }) => [
        ...validateSpec(ingress.spec, newAllowances(gate)),
        ...validateClassAnnotation(ingress),
      ],
      validateUpdate: (ingress, old, { gate }) => validateSpec(ingress.spec, allowancesOf(old, gate)),
      warningsOnCreate: ({ metadata, spec }) =>
        hasClassAnnotation(metadata) && spec.ingressClassName === undefined
          ? [`annotation "${classAnnotation}" is deprecated, please use 'spec.ingressClassName' instead`]
          : [],
    },
    () => ({ loadBalancer: {} }),
  ),
  parts: {
    status: statusOnly<Ingress>({
      validateUpdate: (ingress, old, context) => validateStatus(points(ingress), points(old), context),
      warningsOnUpdate: (ingress) =>
        points(ingress).flatMap(({ ip = '' }, i) => (ip === '' ? [] : warningsForIp(pointsAt.index(i), ip))),
    }),
  },
})

const points = ({ status }: Ingress): IngressLoadBalancerIngress[] => status?.loadBalancer?.ingress ?? []

const hasClassAnnotation = ({ annotations }: KubeObject['metadata']): boolean =>
  annotations !== undefined && Object.hasOwn(annotations, classAnnotation)

function validateClassAnnotation({ metadata, spec }: Ingress): FieldError[] {
  const given = metadata.annotations?.[classAnnotation] ?? ''
  if (!hasClassAnnotation(metadata) || spec.ingressClassName === undefined || given === spec.ingressClassName) return []
  const at = FieldPath.of('annotations', classAnnotation)
  return [invalid(at, given, 'must match `ingressClassName` when both are specified')]
}

/** A name that is a label and that services may have had under looser rules. */
const hasRelaxedService = ({ spec }: Ingress): boolean =>
  (spec.rules ?? []).some(({ http }) =>
    (http?.paths ?? []).some(({ backend }) => {
      const name = backend?.service?.name
      return name !== undefined && checkDns1123Label(name).length === 0 && checkDns1035Label(name).length > 0
    }),
  )

const allowancesOf = (ingress: Ingress, gate: WriteContext['gate']): Allowances => ({
  ...oldAllowances(ingress),
  relaxedService: gate('RelaxedServiceNameValidation') || (isLater(gate) && hasRelaxedService(ingress)),
})

const isLater = (gate: WriteContext['gate']): boolean => gate('release:relaxedIngressServices')

const oldAllowances = ({ spec }: Ingress): Omit<Allowances, 'relaxedService'> => ({
  anySecretName: (spec.tls ?? []).some(({ secretName = '' }) => secretNameMessages(secretName).length > 0),
  anyWildcardRule: (spec.rules ?? []).some((rule) => {
    const errors: Errors = []
    if (rule.host?.includes('*')) validatePaths(errors, rule, FieldPath.root, false)
    return errors.length > 0
  }),
})

const secretNameMessages = (name: string) => (name === '' ? [] : checkSubdomainName(name))

function validateSpec(
  { rules, defaultBackend, tls = [], ingressClassName }: IngressSpec,
  allowed: Allowances,
): FieldError[] {
  const errors: Errors = []
  if ((rules ?? []).length === 0 && defaultBackend === undefined) {
    const shown = goStructs('networking.IngressRule', rules, () => '')
    errors.push(invalidAs(spec, () => shown, 'either `defaultBackend` or `rules` must be specified'))
  }
  if (defaultBackend !== undefined)
    validateBackend(errors, defaultBackend, spec.child('defaultBackend'), allowed.relaxedService)
  eachItem(errors, rules ?? [], (errors, rule, i) => {
    validateRule(errors, rule, spec.child('rules').index(i), allowed)
  })
  eachItem(errors, tls, (errors, item, i) => {
    validateTls(errors, item, spec.child('tls').index(i), allowed)
  })
  if (ingressClassName !== undefined) {
    addMessages(errors, spec.child('ingressClassName'), ingressClassName, checkSubdomainName(ingressClassName))
  }
  return errors
}

const checkHost = (host: string) =>
  host.includes('*') ? checkWildcardDns1123Subdomain(host) : checkDns1123Subdomain(host)

function validateRule(errors: Errors, rule: IngressRule, at: FieldPath, allowed: Allowances): void {
  const { host = '' } = rule
  if (host !== '') {
    if (parseIp(host) !== undefined) errors.push(invalid(at.child('host'), host, noIpMessage))
    addMessages(errors, at.child('host'), host, checkHost(host))
  }
  if (!host.includes('*') || !allowed.anyWildcardRule) validatePaths(errors, rule, at, allowed.relaxedService)
}

function validatePaths(errors: Errors, { http }: IngressRule, at: FieldPath, relaxed: boolean): void {
  if (http === undefined) return
  const paths = http.paths ?? []
  const pathsAt = at.child('http', 'paths')
  if (paths.length === 0) errors.push(required(pathsAt))
  eachItem(errors, paths, (errors, path, i) => {
    validatePath(errors, path, pathsAt.index(i), relaxed)
  })
}

const pathTypes = ['Exact', 'ImplementationSpecific', 'Prefix']
const badSequences = ['//', '/./', '/../', '%2f', '%2F']
const badEndings = ['/..', '/.']

function validatePath(
  errors: Errors,
  { path = '', pathType, backend }: HTTPIngressPath,
  at: FieldPath,
  relaxed: boolean,
): void {
  if (pathType === undefined || pathType === null) {
    errors.push(required(at.child('pathType'), 'pathType must be specified'))
    return
  }
  const refuse = (why: string): void => {
    errors.push(invalid(at.child('path'), path, why))
  }
  if (!pathTypes.includes(pathType)) errors.push(notSupported(at.child('pathType'), pathType, pathTypes))
  else if (!path.startsWith('/') && (path !== '' || pathType !== 'ImplementationSpecific')) {
    refuse('must be an absolute path')
  }
  if (pathType === 'Exact' || pathType === 'Prefix') {
    for (const part of badSequences) if (path.includes(part)) refuse(`must not contain '${part}'`)
    for (const ending of badEndings) if (path.endsWith(ending)) refuse(`cannot end with '${ending}'`)
  }
  validateBackend(errors, backend ?? {}, at.child('backend'), relaxed)
}

function validateBackend(errors: Errors, { resource, service }: IngressBackend, at: FieldPath, relaxed: boolean): void {
  if (resource !== undefined && service !== undefined) {
    errors.push(invalid(at, '', 'cannot set both resource and service backends'))
  } else if (resource !== undefined) validateBackendReference(errors, resource, at.child('resource'))
  else if (service !== undefined) validateServiceBackend(errors, service, at, relaxed)
  else errors.push(invalid(at, '', 'resource or service backend is required'))
}

/** The reference reports some mistakes of the port at the backend itself. */
function validateServiceBackend(
  errors: Errors,
  { name = '', port }: IngressServiceBackend,
  at: FieldPath,
  relaxed: boolean,
): void {
  const service = at.child('service')
  if (name === '') errors.push(required(service.child('name')))
  else addMessages(errors, service.child('name'), name, relaxed ? checkDns1123Label(name) : checkDns1035Label(name))
  const { name: portName = '', number = 0 } = port ?? {}
  if (portName !== '' && number !== 0) errors.push(invalid(at, '', 'cannot set both port name & port number'))
  else if (portName !== '') addMessages(errors, service.child('port', 'name'), portName, checkPortName(portName))
  else if (number !== 0) addMessages(errors, service.child('port', 'number'), number, checkPortNumber(number))
  else errors.push(required(at, 'port name or number is required'))
}

type Reference = Pick<TypedLocalObjectReference, 'kind' | 'name'> & { readonly apiGroup?: string | null }

/** A reference to an object of any kind, as backends and classes have them. */
export function validateBackendReference(errors: Errors, reference: Reference, at: FieldPath): void {
  const { apiGroup } = reference
  if (apiGroup !== undefined && apiGroup !== null) {
    addMessages(errors, at.child('apiGroup'), apiGroup, checkDns1123Subdomain(apiGroup))
  }
  for (const key of ['kind', 'name'] as const) {
    const value = reference[key] ?? ''
    if (value === '') errors.push(required(at.child(key), `${key} is required`))
    else addMessages(errors, at.child(key), value, checkPathSegmentName(value))
  }
}

function validateTls(
  errors: Errors,
  { hosts = [], secretName = '' }: IngressTLS,
  at: FieldPath,
  allowed: Allowances,
): void {
  eachItem(errors, hosts, (errors, host, i) => {
    addMessages(errors, at.child('hosts').index(i), host, checkHost(host))
  })
  if (!allowed.anySecretName) addMessages(errors, at.child('secretName'), secretName, secretNameMessages(secretName))
}

function validateStatus(
  list: readonly IngressLoadBalancerIngress[],
  old: readonly IngressLoadBalancerIngress[],
  { gate }: WriteContext,
): FieldError[] {
  const errors: Errors = []
  const rules = {
    strict: gate('StrictIPCIDRValidation'),
    known: new Set(old.flatMap(({ ip = '' }) => (ip === '' ? [] : [ip]))),
  }
  eachItem(errors, list, (errors, { ip = '', hostname = '' }, i) => {
    const at = pointsAt.index(i)
    if (ip !== '') checkOldIp(errors, ip, at.child('ip'), rules)
    if (hostname !== '') checkIngressHostname(errors, hostname, at.child('hostname'))
  })
  return errors
}
