import { expect, it } from 'vitest'
import type { AuditTrail } from '../../api/audit-trail.ts'
import { runToEnd, type Steps } from '../../lib/in-turns.ts'
import type { RecordedExchange } from './recorded-exchange.ts'
import { RequestRecord } from './request-record.ts'

const user = { name: 'ann', groups: [], extra: new Map<string, string[]>() }

function* noPatch(): Steps<null> {
  yield
  return null
}

/** Tells of every call of the trail once. */
function tellAll(trail: AuditTrail): void {
  trail.impersonatedAs(user)
  trail.annotate('a', 'b')
  trail.requestObject({})
  runToEnd(trail.requestObjectInSteps({}))
  runToEnd(trail.requestPatch(noPatch))
  trail.responseObject({})
  runToEnd(trail.responseObjectInSteps({}))
  trail.panicked('why')
}

function listening(heard: string[]): AuditTrail {
  const note = (name: string) => (): void => void heard.push(name)
  const noteInSteps = (name: string) =>
    function* () {
      yield
      heard.push(name)
    }
  return {
    wantsResponse: true,
    impersonatedAs: note('impersonatedAs'),
    annotate: note('annotate'),
    requestObject: note('requestObject'),
    requestObjectInSteps: noteInSteps('requestObjectInSteps'),
    requestPatch: noteInSteps('requestPatch'),
    responseObject: note('responseObject'),
    responseObjectInSteps: noteInSteps('responseObjectInSteps'),
    panicked: note('panicked'),
  }
}

it('a record keeps annotations and passes everything on to another observer', () => {
  const heard: string[] = []
  const record = new RequestRecord(1, 0, {} as RecordedExchange)
  const trail = record.trail(listening(heard))
  tellAll(trail)
  expect(trail.wantsResponse).toBe(true)
  expect(heard).toEqual([
    'impersonatedAs',
    'annotate',
    'requestObject',
    'requestObjectInSteps',
    'requestPatch',
    'responseObject',
    'responseObjectInSteps',
    'panicked',
  ])
  expect([...record.annotations]).toEqual([['a', 'b']])
})

it('a record needs no other observer', () => {
  const record = new RequestRecord(1, 0, {} as RecordedExchange)
  tellAll(record.trail(undefined))
  expect([...record.annotations]).toEqual([['a', 'b']])
})
