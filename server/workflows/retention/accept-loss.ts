/**
 * Accepts the loss of identity keys, by an operator (`npm start -- --accept-loss`). Identities without a key end with the
 * reason LOST, and the central service is told that their unsent proofs are lost and not withdrawn.
 */
import type { Context } from '../../context.ts'
import { AppError } from '../../errors.ts'
import { describeProblem, compareKeysWithDatabase } from '../../store/identity-keys.ts'
import { APPLIANCE } from '../../store/scope.ts'
import { beginErasure } from './erase-identity.ts'

/** Changes nothing if no key is missing. Throws `key_unavailable` for the keys of another appliance. */
export function acceptLoss(ctx: Context): void {
  const { store, config, clock, log } = ctx
  const look = compareKeysWithDatabase(config.dataDir)
  if (!look || look.problem === null) return
  const { problem, lost, unsentProofs, keysGeneration, databaseGeneration } = look
  if (problem === 'foreign') throw new AppError('key_unavailable', { reason: describeProblem(look) })
  // The key file first: after a crash here the identities still have no key, and the next start refuses
  // again.
  const erased = [...allErasures(ctx)]
  store.vault.catchUp(databaseGeneration, erased)
  store.transaction(() => {
    const body = { identities: lost.length, unsentProofs, keysGeneration, databaseGeneration }
    store.events.append('identitykeys.loss_accepted', null, body, clock.now(), { actor: 'operator' })
    for (const id of lost) {
      const identity = store.identities.find(APPLIANCE, id)
      if (identity) beginErasure(ctx, identity, 'LOST', 'operator')
    }
  })
  log.error({ identities: lost.length, unsentProofs }, 'an operator accepted the loss of identity keys')
}

const PAGE = 500

function* allErasures({ store }: Context): Generator<string> {
  for (let page = store.erasures.list(PAGE); page.length > 0;) {
    for (const { identityId } of page) yield identityId
    page = store.erasures.list(PAGE, page.at(-1)?.identityId)
  }
}
