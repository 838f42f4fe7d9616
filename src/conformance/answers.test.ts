import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { mergeRecording, readAnswers, type ScenarioStep, writeAnswers } from './answers.ts'

const folder = mkdtempSync(path.join(tmpdir(), 'pilothouse-answers-'))
afterAll(() => rmSync(folder, { recursive: true }))

test('what was written is read, and a line holds what fits', () => {
  const file = path.join(folder, 'a.json')
  const steps: readonly ScenarioStep[] = [
    { request: 'GET /a', status: 200, body: { list: Array.from({ length: 60 }, (_, i) => i), small: { a: 1 } } },
    { request: 'NOTE b', body: null },
  ]
  writeAnswers(file, steps)
  expect(readAnswers(file)).toEqual(steps)
  const lines = readFileSync(file, 'utf8').split('\n')
  expect(lines).toContain('   "small": {"a":1}')
  expect(lines).toContain(' {"request":"NOTE b","body":null}')
})

test('a scenario that was never recorded has no answers', () => {
  expect(readAnswers(path.join(folder, 'none.json'))).toEqual([])
})

test('recording leaves alone what the specification decides', () => {
  const known: readonly ScenarioStep[] = [
    { request: 'GET /a', specification: 'It is 400.', status: 400 },
    { request: 'GET /b', status: 200 },
    { request: 'GET /c', specification: 'It is 404.', status: 404 },
  ]
  const recorded: readonly ScenarioStep[] = [
    { request: 'GET /a', status: 500 },
    { request: 'GET /b', status: 201 },
    { request: 'GET /other', status: 200 },
  ]
  expect(mergeRecording(recorded, known)).toEqual([known[0], recorded[1], recorded[2]])
})
