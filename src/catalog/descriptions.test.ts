import { expect, test } from 'vitest'
import { describedField, describedShared, describedType, descriptionGroup, parseDescriptions } from './descriptions.ts'

test.each([
  ['its group', 'batch.v1.CronJobSpec', 'timeZone', /^The time zone of the schedule/],
  ['a line for one version before that for all', 'autoscaling.v2beta1.ObjectMetricSource', 'target', /^The object/],
  ['the line for all versions otherwise', 'autoscaling.v2.ObjectMetricSource', 'target', /^The value/],
  ['what an older package is derived from', 'extensions.v1beta1.DeploymentSpec', 'replicas', /Default: 1\.$/],
  ['the template of kinds', 'batch.v1.Job', 'apiVersion', /^APIVersion defines/],
  ['the template of lists, with the kind of the items', 'batch.v1.JobList', 'items', /^The Job objects/],
  ['the template of conditions', 'batch.v1.JobCondition', 'status', /^Whether the condition holds/],
])('a field is described by %s', (_, type, field, text) => {
  expect(describedField(type, field)).toMatch(text)
})

test('templates of kinds are not for other types', () => {
  expect(describedField('core.v1.ObjectReference', 'kind')).not.toBe(describedShared('*.kind'))
  expect(describedField('batch.v1.JobSpec', 'nothing')).toBeUndefined()
})

test('lists of kinds and custom kinds have the words of the template', () => {
  expect(describedType('batch.v1.JobList')).toBe('A list of Job objects, as a list request returns it.')
  expect(describedShared('*List', 'CronTab')).toBe('A list of CronTab objects, as a list request returns it.')
})

test.each([
  ['apps.v1', 'apps'],
  ['apiserver.audit.v1', 'apiserver-audit'],
  ['machinery.api.resource', 'machinery'],
])('the types of %s are in %s', (packageName, file) => {
  expect(descriptionGroup(packageName)).toBe(file)
})

test('a line without a colon is a mistake', () => {
  expect([...parseDescriptions('# note\nA.b: c: d.\n')]).toEqual([['A.b', 'c: d.']])
  expect(() => parseDescriptions('A.b c')).toThrow('no colon')
})
