/** The rules of the kinds that extend the API. */
import { definitionRules } from '../extensions/definitions/definition-rules.ts'
import type { MakeKindRules } from './kind-rules.ts'

/** The rules of the kinds that extend the API: they need more than the rules of other kinds. */
export const extensionRules: Readonly<Record<string, MakeKindRules>> = {
  'customresourcedefinitions.apiextensions.k8s.io': definitionRules as unknown as MakeKindRules,
}
