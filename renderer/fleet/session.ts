/** The session of the fleet page: of a person of the staff, by the cookie that the service set, or of a key in this tab. */
import { useEffect, useState } from 'preact/hooks'
import type { Me, Scope, SignInEnd, StaffSessionView } from '../../server/central/head-office/contract.ts'
import { ApiProblem } from '../counter/api/client.ts'
import { problemSentence } from '../counter/problem-words.ts'
import { createFleetClient, keyring, loadStaffSession, signOutStaff, type FleetClient } from './api.ts'
import { isDeepLink, readLinkedTenant } from './deep-link.ts'
import { useFleetText } from './text.ts'

export interface Session {
  /** Names the person, or the system whose key it is. */
  readonly name: string
  readonly isPerson: boolean
  readonly tenantId: string
  readonly scopes: readonly Scope[]
  /** Tenants that the person may choose. */
  readonly tenantIds: readonly string[]
  readonly client: FleetClient
}

/** The sign-in that the page offers. A key is the fall-back if no provider is configured, or if it does not answer. */
export interface SignInOffer {
  readonly hasProvider: boolean
  readonly takesKey: boolean
  /** Why the last sign-in at the provider, or the last session, ended. */
  readonly notice: string | null
  /** Why the key was refused. */
  readonly refusal: string | null
  readonly entering: boolean
  /** False: the account in the browser has no role here. */
  readonly hasRole: boolean
}

/** Typed against the contract, because this page may import only its types. */
const ENDS: Readonly<Record<SignInEnd, true>> = {
  denied: true,
  'not-authenticated': true,
  unavailable: true,
  stale: true,
  'no-role': true,
}
/** For the way from another page, such as `/verify/`; the address of this one names the tenant. */
const TENANT_SLOT = 'counterproof-tenant'

export function useSession() {
  const { t, known } = useFleetText()
  const [session, setSession] = useState<Session | null>(null)
  const [offer, setOffer] = useState<SignInOffer | null>(null)
  const change = (part: Partial<SignInOffer>) =>
    setOffer((before) => ({
      hasProvider: false,
      takesKey: true,
      notice: null,
      refusal: null,
      entering: false,
      hasRole: true,
      ...before,
      ...part,
    }))

  const enterByKey = async (key: string) => {
    change({ entering: true })
    const client = createFleetClient({ key })
    try {
      const { name, tenantId, scopes } = await client.get<Me>('/me')
      if (!scopes.includes('fleet:read')) {
        refuseKey(t('sign-in.scope-missing', { scope: 'fleet:read' }))
        return
      }
      keyring.set(key)
      change({ refusal: null, entering: false })
      setSession({ name, isPerson: false, tenantId, scopes, tenantIds: [tenantId], client })
    } catch (error) {
      refuseKey(problemSentence(toProblem(error), known))
    }
  }
  const refuseKey = (refusal: string) => {
    keyring.clear()
    setSession(null)
    change({ refusal, entering: false })
  }

  const enterAsPerson = (person: NonNullable<StaffSessionView['person']>, wanted: string | null) => {
    const tenant = person.tenants.find(({ tenantId }) => tenantId === wanted) ?? person.tenants[0]
    if (!tenant) return change({ notice: t('sign-in.end.no-role'), hasRole: false })
    sessionStorage.setItem(TENANT_SLOT, tenant.tenantId)
    setSession({
      ...tenant,
      name: person.name,
      isPerson: true,
      tenantIds: person.tenants.map(({ tenantId }) => tenantId),
      client: createFleetClient({ tenantId: tenant.tenantId }),
    })
  }

  const load = async (wanted: string | null, notice: string | null) => {
    try {
      const { hasProvider, person } = await loadStaffSession()
      change({ hasProvider, takesKey: !hasProvider, notice })
      if (person) enterAsPerson(person, wanted)
    } catch (error) {
      change({ notice: problemSentence(toProblem(error), known) })
    }
  }

  useEffect(() => {
    const key = keyring.get()
    const end = readEnd()
    void load(readLinkedTenant() ?? sessionStorage.getItem(TENANT_SLOT), end && t(`sign-in.end.${end}`)).then(
      () => {
        if (end === 'unavailable') change({ takesKey: true })
        if (end === 'no-role') change({ hasRole: false })
        if (key !== null) void enterByKey(key)
      },
    )
  }, [])

  return {
    session,
    offer,
    enterByKey,
    chooseTenant: (tenantId: string) => void load(tenantId, null),
    /** The service refused the session or the key. */
    drop: (problem: ApiProblem) => {
      if (!session?.isPerson) return refuseKey(problemSentence(problem, known))
      setSession(null)
      change({ notice: t('sign-in.ended') })
    },
    signOut: async () => {
      const { isPerson } = session ?? {}
      keyring.clear()
      sessionStorage.removeItem(TENANT_SLOT)
      const url = isPerson ? await signOutStaff().catch(() => null) : null
      // The page of the provider, which leads back here.
      if (url !== null) location.assign(url)
      else {
        setSession(null)
        change({ notice: null, refusal: null })
      }
    },
  }
}

/** Reads how the sign-in ended, and removes it from the address. A link to a part of the page stays. */
function readEnd(): SignInEnd | null {
  const end = location.hash.slice(1)
  if (location.hash !== '' && !isDeepLink()) history.replaceState(null, '', location.pathname)
  return Object.hasOwn(ENDS, end) ? (end as SignInEnd) : null
}

function toProblem(error: unknown): ApiProblem {
  return error instanceof ApiProblem ? error : new ApiProblem('internal')
}
