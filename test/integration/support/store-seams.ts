/** A server on a store of the test's own, and otherwise like any other. */
import { noOpinion } from '../../../src/auth/authenticator.ts'
import type { TestSeams } from '../../../src/server/test-seams.ts'
import type { Store } from '../../../src/store/store.ts'

export const storeSeams = (store: Store): TestSeams => ({
  openStore: () => store,
  exchange: (exchange) => exchange,
  began: () => {},
  filter: (context, next) => next(context),
  tokens: { authenticateToken: () => noOpinion },
  beforeWebhook: async () => {},
  denied: () => {},
  started: () => {},
})
