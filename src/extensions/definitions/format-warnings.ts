/**
 * Warnings about formats of texts that nothing checks. An update warns of those that the old definition did not have.
 * Mirrors apiextensions-apiserver/pkg/registry/customresourcedefinition: strategy.WarningsOnCreate, strategy.WarningsOnUpdate.
 */
import { quote } from '../../api/field-error.ts'
import type { CustomResourceDefinitionSpec } from '../../catalog/types/apiextensions-v1.ts'
import { schemasOfSpec } from './definition.ts'

/** Without dashes. */
const known = new Set(
  (
    'bsonobjectid uri email hostname ipv4 ipv6 cidr mac uuid uuid3 uuid4 uuid5 isbn isbn10 isbn13 creditcard ssn hexcolor rgbcolor ' +
    'byte password date duration datetime k8sshortname k8slongname'
  ).split(' '),
)

const unknownFormats = (spec: CustomResourceDefinitionSpec): string[] =>
  schemasOfSpec(spec)
    .filter(({ type, format = '' }) => type === 'string' && format !== '' && !known.has(format.replaceAll('-', '')))
    .map(({ format = '' }) => format)

/** Warnings beyond this many say no more. */
const maxWarnings = 100

export function formatWarnings(spec: CustomResourceDefinitionSpec, old?: CustomResourceDefinitionSpec): string[] {
  const before = new Set(old === undefined ? [] : unknownFormats(old))
  const added = unknownFormats(spec).filter((format) => !before.has(format))
  return added.slice(0, maxWarnings).map((format) => `unrecognized format ${quote(format)}`)
}
