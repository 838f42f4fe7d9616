import { expect, test } from 'vitest'
import { goSchema, goVersions, keywordsOf } from './schema.ts'

test('schemas are printed with all that their type has', () => {
  const text = String(goSchema({ type: 'object', maximum: 1, enum: ['a', null], properties: { b: { $ref: 'x' } } }))
  expect(
    text.startsWith(
      'apiextensions.JSONSchemaProps{ID:"", Schema:"", Ref:(*string)(nil), Description:"", Type:"object", ',
    ),
  ).toBe(true)
  expect(text).toContain('Maximum:(*float64)(0xc000000000), ')
  expect(text).toContain('Enum:[]apiextensions.JSON{"a", apiextensions.JSON(nil)}, ')
  expect(text).toContain(
    'Properties:map[string]apiextensions.JSONSchemaProps{"b":apiextensions.JSONSchemaProps{ID:"", Schema:"", Ref:(*string)(0xc000000000), ',
  )
  expect(text.endsWith('XMapType:(*string)(nil), XValidations:apiextensions.ValidationRules(nil)}')).toBe(true)
})

test('keywords that say nothing are none', () => {
  const keywords = keywordsOf({ title: '', nullable: false, maxLength: 0, type: 'string', default: null })
  expect(keywords.map(({ name }) => name)).toEqual(['Type', 'MaxLength'])
})

test('versions are printed with their columns', () => {
  const column = { name: 'A', type: 'string', jsonPath: '.a' }
  const version = { name: 'v1', served: true, storage: false, additionalPrinterColumns: [column] }
  expect(String(goVersions([version]))).toBe(
    '[]apiextensions.CustomResourceDefinitionVersion{apiextensions.CustomResourceDefinitionVersion{Name:"v1", Served:true, Storage:false, Deprecated:false, DeprecationWarning:(*string)(nil), Schema:(*apiextensions.CustomResourceValidation)(nil), Subresources:(*apiextensions.CustomResourceSubresources)(nil), AdditionalPrinterColumns:[]apiextensions.CustomResourceColumnDefinition{apiextensions.CustomResourceColumnDefinition{Name:"A", Type:"string", Format:"", Description:"", Priority:0, JSONPath:".a"}}, SelectableFields:[]apiextensions.SelectableField(nil)}}',
  )
})
