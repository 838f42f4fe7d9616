/**
 * IP addresses: the name is the address, the object it belongs to never changes.
 * Mirrors pkg/apis/networking/validation: ValidateIPAddress, ValidateIPAddressUpdate.
 * Mirrors pkg/registry/networking/ipaddress: ipAddressStrategy.
 */

import { type FieldError, required } from '../../../../api/field-error.ts'
import { FieldPath } from '../../../../api/field-path.ts'
import type { RenderedValue } from '../../../../api/golang/literal.ts'
import { checkIp } from '../../../../api/ip-validation.ts'
import { equalSemantic } from '../../../../api/json.ts'
import { checkDns1123Subdomain, checkPathSegmentName } from '../../../../api/names.ts'
import type { KubeObject } from '../../../../api/object.ts'
import { goNull, goStruct, invalidAs, podSyntaxText } from '../../../../catalog/golang/pod-syntax.ts'
import type { IPAddressSpec, ParentReference } from '../../../../catalog/types/networking-v1.ts'
import { addMessages, type Errors, immutableMessage } from '../../../checks/checks.ts'
import type { KindRules } from '../../../kind-rules.ts'

export type IpAddressObject = KubeObject & { spec: IPAddressSpec }

const at = FieldPath.of('spec', 'parentRef')

export const ipAddressRules = (): KindRules<IpAddressObject> => ({
  strategy: {
    nameFrom: (given) => given,
    validateMetadata: (metadata) => metadata.validate({ validateName: checkIp }),
    validateMetadataUpdate: (metadata) => [
      ...metadata.validate({ validateName: checkIp }),
      ...metadata.validateUpdate(),
    ],
    validate,
    validateUpdate: (object, old) => [
      ...validate(object),
      ...(equalSemantic(object.spec?.parentRef, old.spec?.parentRef)
        ? []
        : [invalidAs(at, () => shown(object.spec?.parentRef), immutableMessage)]),
    ],
  },
})

const shown = (parent: ParentReference | undefined): RenderedValue =>
  parent === undefined
    ? goNull
    : goStruct('networking.ParentReference', {
        Group: podSyntaxText(parent.group),
        Resource: podSyntaxText(parent.resource),
        Namespace: podSyntaxText(parent.namespace),
        Name: podSyntaxText(parent.name),
      })

function validate({ spec }: IpAddressObject): FieldError[] {
  const parent = spec?.parentRef
  if (parent === undefined) return [required(at)]
  const errors: Errors = []
  const { group = '', namespace = '' } = parent
  if (group !== '') addMessages(errors, at.child('group'), group, checkDns1123Subdomain(group))
  for (const key of ['resource', 'name'] as const) {
    const value = parent[key] ?? ''
    if (value === '') errors.push(required(at.child(key)))
    else addMessages(errors, at.child(key), value, checkPathSegmentName(value))
  }
  addMessages(errors, at.child('namespace'), namespace, checkPathSegmentName(namespace))
  return errors
}
