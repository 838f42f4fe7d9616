// Shrinking against a pretended pair of servers that differ whenever a body has a certain member.
import { expect, it } from 'vitest'
import { type Case, sentinel } from './case.ts'
import { compare } from './compare.ts'
import type { Difference } from './execute.ts'
import { type Json, valueAt } from './json.ts'
import type { Observed } from './normalise.ts'
import { shrink } from './shrink.ts'

const observed = (body: Json): Observed => ({
  status: 200,
  contentType: 'application/json',
  headers: {},
  layout: 'compact',
  warnings: [],
  body,
})

/** The servers differ at the first step whose body has `spec.bad`. */
function executed(each: Case): Difference | undefined {
  const step = each.steps.findIndex(({ body }) => valueAt(body, ['spec', 'bad']) !== undefined)
  if (step < 0) return undefined
  const [reference, server] = [observed({ a: 1 }), observed({ a: 2 })]
  return { case: each, step, reference, server, places: compare(reference, server) }
}

const large: Case = {
  family: 'update',
  resource: 'things example.com/v1',
  cleanup: [],
  steps: [
    { method: 'POST', path: '/things', body: { kind: 'Thing', metadata: { name: 'a', labels: { x: 'y' } } } },
    { method: 'GET', path: '/things/a' },
    {
      method: 'PUT',
      path: '/things/a?fieldValidation=Strict&dryRun=All',
      headers: { accept: 'application/yaml' },
      body: {
        kind: 'Thing',
        metadata: { name: 'a', labels: { x: 'y' } },
        spec: { bad: { deep: [1, 2, 3] }, good: { list: Array.from({ length: 30 }, (_, i) => ({ i })) } },
      },
    },
    { method: 'GET', path: '/things/a' },
  ],
}

async function shrunk(each: Case): Promise<{ readonly steps: Case['steps']; readonly tries: number }> {
  let tries = 0
  const found = await shrink(executed(each) as Difference, async (smaller) => {
    tries++
    return executed(smaller)
  })
  return { steps: found.case.steps, tries }
}

it('leaves the one request and the one member that show it', async () => {
  const { steps } = await shrunk(large)
  expect(steps).toEqual([
    {
      method: 'PUT',
      path: '/things/a',
      headers: {},
      body: { kind: 'Thing', metadata: { name: 'a' }, spec: { bad: {} } },
    },
  ])
})

it('tries a bounded number of times', async () => {
  const wide = { spec: { bad: 1, many: Array.from({ length: 2000 }, (_, i) => ({ [`k${i}`]: i })) } }
  // What is kept by one more member cannot be made smaller.
  const { tries } = await shrunk({ ...large, steps: [{ method: 'POST', path: '/things', body: wide }] })
  expect(tries).toBeLessThanOrEqual(400)
})

it('ends when it is late', async () => {
  let tries = 0
  const execute = async (each: Case): Promise<Difference | undefined> => {
    tries++
    return executed(each)
  }
  await shrink(executed(large) as Difference, execute, () => tries >= 3)
  expect(tries).toBe(3)
})

it('keeps what isolates a case, and what waits for the servers', async () => {
  const objectSelector = { matchLabels: { differential: '<name>' } }
  const fixed = { method: 'POST', path: '/hooks', body: { metadata: { name: `${sentinel}-<name>` }, webhooks: [] } }
  const probe = { method: 'POST', path: '/probe', until: 403 }
  const each: Case = {
    ...large,
    steps: [
      { method: 'POST', path: '/hooks', body: { webhooks: [{ objectSelector, rules: ['a'] }] }, needed: true },
      fixed,
      probe,
      { method: 'DELETE', path: '/things?labelSelector=a&limit=1', body: { spec: { bad: true } } },
    ],
  }
  const sent: Case[] = []
  const found = await shrink(executed(each) as Difference, async (smaller) => {
    sent.push(smaller)
    return executed(smaller)
  })
  for (const { steps } of sent) {
    const [webhook] = (valueAt(steps[0]?.body, ['webhooks']) ?? []) as readonly Json[]
    if (webhook !== undefined) expect(webhook).toMatchObject({ objectSelector })
    expect(steps.slice(1, 3)).toEqual([fixed, probe])
  }
  expect(found.case.steps.at(-1)?.path).toBe('/things?labelSelector=a')
})
