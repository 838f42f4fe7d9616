import { expect, it } from 'vitest'
import { serverFailure } from './server-response.ts'

it.each([
  [403, 'may not', 'Forbidden', 'may not'],
  [403, 'may\udcff not', 'Forbidden', 'may\ufffd not'],
  [404, 'no such pod', 'NotFound', 'the server could not find the requested resource'],
  [406, 'json only', 'NotAcceptable', 'json only'],
  [406, '', 'NotAcceptable', 'the server was unable to respond with a content type that the client supports'],
  [418, 'a teapot', '', 'the server responded with the status code 418 but did not return more information'],
  [
    502,
    'bad "gateway"',
    'InternalError',
    'an error on the server ("bad \\"gateway\\"") has prevented the request from succeeding',
  ],
  [500, '\udcff', 'InternalError', 'an error on the server ("\\xff") has prevented the request from succeeding'],
])('%i %j', (status, said, reason, message) => {
  expect(serverFailure(status, said)).toEqual({ reason, message })
})
