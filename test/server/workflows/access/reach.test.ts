/** The boundary between tenants and between the applications of one: who may look at whose identities, and who may act. */
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { SharingRule } from '../../../../server/proofing/applications.ts'
import type { CallerReach, CallerRole } from '../../../../server/proofing/types.ts'
import {
  findErasure,
  findWithin,
  requireIdentity,
  requirePictured,
  scopeOfCases,
  type Reaching,
} from '../../../../server/workflows/access/reach.ts'
import { isWithin } from '../../../../server/store/scope.ts'
import { anIdentity, AT, openTestStore, type TestStore } from '../../../support/store.ts'

/** The shop may read what the desk made; the back office may act on it. */
const SHARING: readonly SharingRule[] = [
  { application: 'shop', of: ['desk'], may: 'read' },
  { application: 'office', of: ['desk'], may: 'act' },
]

let t: TestStore
let ids: Record<'shop' | 'desk' | 'office' | 'service', string>
/**
 * Identities of the desk's application, of one with the same name in another tenant, and of an unknown one.
 */
let mine: string
let second: string
let elsewhere: string
let orphan: string
beforeEach(() => {
  t = openTestStore()
  const { store } = t
  store.tenants.ensure({ id: 'other', name: 'Other', mode: 'test', policyId: 'default' }, AT)
  const ensure = (name: string) => store.apiKeys.ensureApplication('tenant', name, AT)
  ids = { shop: ensure('shop'), desk: ensure('desk'), office: ensure('office'), service: ensure('service') }
  const deskElsewhere = store.apiKeys.ensureApplication('other', 'desk', AT)
  const add = (identity: ReturnType<typeof anIdentity>) => {
    store.transaction(() => store.identities.add(identity, []))
    return identity.id
  }
  mine = add(anIdentity(ids.desk))
  second = add(anIdentity(ids.desk))
  elsewhere = add(anIdentity(deskElsewhere, { tenantId: 'other' }))
  orphan = '01890a5d-ac96-774b-bcce-b302099a8058'
})
afterEach(() => t.close())

const ctx = (serviceApplicationId: string | null = null) =>
  ({
    store: t.store,
    config: { tenant: { sharing: SHARING } },
    adjudication: { serviceApplicationId },
  }) as never
const caller = (
  applicationId: string,
  role: CallerRole = 'RELYING_SERVICE',
  reach: CallerReach = { kind: 'APPLICATION' },
): Reaching => ({ tenantId: 'tenant', applicationId, role, reach })
const may = (who: Reaching, identityId: string, purpose: 'READ' | 'ACT') => {
  try {
    return requireIdentity(ctx(), who, identityId, purpose).id === identityId ? 'yes' : 'another'
  } catch (error) {
    return (error as { code: string }).code
  }
}
const both = (who: Reaching, identityId: string) => [
  may(who, identityId, 'READ'),
  may(who, identityId, 'ACT'),
]

describe('an application', () => {
  test('has its own identities', () => {
    expect(both(caller(ids.desk), mine)).toEqual(['yes', 'yes'])
  })

  test('has those that are shared with it for reading, and acts on none of them', () => {
    expect(both(caller(ids.shop), mine)).toEqual(['yes', 'shared_for_reading'])
  })

  test('acts on those that are shared with it for acting', () => {
    expect(both(caller(ids.office), mine)).toEqual(['yes', 'yes'])
  })

  test('does not learn that there are others', () => {
    expect(both(caller(ids.service), mine)).toEqual(['not_found', 'not_found'])
    expect(both(caller(ids.desk), orphan)).toEqual(['not_found', 'not_found'])
    expect(findWithin(ctx(), caller(ids.service), mine)).toBeNull()
    expect(findWithin(ctx(), caller(ids.shop), mine)?.id).toBe(mine)
  })

  test('is of its tenant: the same name elsewhere shares nothing', () => {
    expect(both(caller(ids.desk), elsewhere)).toEqual(['not_found', 'not_found'])
    expect(both(caller(ids.office), elsewhere)).toEqual(['not_found', 'not_found'])
  })

  test('that is unknown cannot see shared identities', () => {
    expect(both(caller('gone'), mine)).toEqual(['not_found', 'not_found'])
  })
})

describe('a key in a person’s hand', () => {
  test('has the identities of its application, and nothing that is shared', () => {
    expect(both(caller(ids.desk, 'USER_AGENT'), mine)).toEqual(['yes', 'yes'])
    expect(both(caller(ids.shop, 'USER_AGENT'), mine)).toEqual(['not_found', 'not_found'])
    expect(both(caller(ids.office, 'USER_AGENT'), mine)).toEqual(['not_found', 'not_found'])
  })
})

describe('a token', () => {
  const token = (applicationId: string, identityId: string) =>
    caller(applicationId, 'USER_AGENT', { kind: 'IDENTITY', identityId })

  test('has the one identity that it is for, as far as the back end that asked for it has it', () => {
    expect(both(token(ids.desk, mine), mine)).toEqual(['yes', 'yes'])
    expect(both(token(ids.desk, mine), second)).toEqual(['not_found', 'not_found'])
    expect(both(token(ids.office, mine), mine)).toEqual(['yes', 'yes'])
    expect(both(token(ids.shop, mine), mine)).toEqual(['yes', 'shared_for_reading'])
    expect(both(token(ids.service, mine), mine)).toEqual(['not_found', 'not_found'])
    expect(both(token(ids.desk, elsewhere), elsewhere)).toEqual(['not_found', 'not_found'])
  })
})

describe('a caller signed in for the whole tenant', () => {
  test('reaches every identity of the tenant and none of another one', () => {
    const staff = caller('counter', 'RELYING_SERVICE', { kind: 'TENANT' })
    expect(both(staff, mine)).toEqual(['yes', 'yes'])
    expect(both(staff, elsewhere)).toEqual(['not_found', 'not_found'])
  })
})

describe('the adjudication service', () => {
  const OF_CASE = () => true
  const OF_NONE = () => false
  const pictured = (who: Reaching, identityId: string, isOfCase: () => boolean, service: string | null) => {
    try {
      return requirePictured(ctx(service), who, identityId, isOfCase).id === identityId
    } catch (error) {
      expect(error).toMatchObject({ code: 'not_found', details: { resource: 'identity' } })
      return false
    }
  }

  test('is shown pictures of cases of its whole tenant, and of nothing else', () => {
    const service = caller(ids.service)
    expect(pictured(service, mine, OF_CASE, ids.service)).toBe(true)
    expect(pictured(service, mine, OF_NONE, ids.service)).toBe(false)
    expect(pictured(service, elsewhere, OF_CASE, ids.service)).toBe(false)
    expect(pictured(service, orphan, OF_CASE, ids.service)).toBe(false)
  })

  test.each<[string, () => Reaching, () => string | null]>([
    ['another application', () => caller(ids.office + 'x'), () => ids.service],
    ['its key in a person’s hand', () => caller(ids.service, 'USER_AGENT'), () => ids.service],
    [
      'a token of it',
      () => caller(ids.service, 'RELYING_SERVICE', { kind: 'IDENTITY', identityId: 'x' }),
      () => ids.service,
    ],
    ['an application where there is no such service', () => caller(ids.service), () => null],
  ])('is not %s', (_, who, service) => {
    expect(pictured(who(), mine, OF_CASE, service())).toBe(false)
  })

  test('shows an application the pictures of its own identities, of a case or not', () => {
    expect(pictured(caller(ids.desk), mine, OF_NONE, ids.service)).toBe(true)
  })

  test('has the cases of the whole tenant, and any other application those of its identities', () => {
    const ofDesk = { id: mine, tenantId: 'tenant', applicationId: ids.desk }
    const within = (who: Reaching, belonging: typeof ofDesk, purpose: 'READ' | 'ACT' = 'ACT') =>
      isWithin(scopeOfCases(ctx(ids.service), who, purpose), belonging)
    expect(within(caller(ids.service), ofDesk)).toBe(true)
    expect(within(caller(ids.service), { ...ofDesk, tenantId: 'other' })).toBe(false)
    expect(within(caller(ids.desk), ofDesk)).toBe(true)
    expect(within(caller(ids.shop), ofDesk)).toBe(false)
    expect(within(caller(ids.shop), ofDesk, 'READ')).toBe(true)
  })
})

describe('an erasure', () => {
  test('is visible to the applications that could see the identity, to the same extent', () => {
    const erase = (id: string, tenantId: string, applicationId: string) => ({ id, tenantId, applicationId })
    const ofDesk = erase(mine, 'tenant', ids.desk)
    const store = {
      ...t.store,
      erasures: { find: (scope: never) => (isWithin(scope, ofDesk) ? ofDesk : null) },
    }
    const known = { store, config: { tenant: { sharing: SHARING } } } as never
    expect(findErasure(known, caller(ids.desk), mine, 'ACT')).toBe(ofDesk)
    expect(findErasure(known, caller(ids.shop), mine, 'READ')).toBe(ofDesk)
    expect(() => findErasure(known, caller(ids.shop), mine, 'ACT')).toThrow('shared_for_reading')
    expect(findErasure(known, caller(ids.service), mine, 'READ')).toBeNull()
  })
})
