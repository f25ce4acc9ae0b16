/**
 * Accounts of officers: names and secrets encrypted under the master key and bound to their row, login names and one-time
 * codes as keyed hashes. Owns the storage, not the sign-in rules.
 */
import { timingSafeEqual } from 'node:crypto'
import { deriveKey, seal, unseal } from './crypto.ts'
import type { Db } from './db.ts'

export interface StaffAccount {
  readonly id: string
  readonly login: string
  readonly name: string
  readonly language: string
  readonly roles: readonly string[]
  readonly enabled: boolean
  /** Incremented when earlier sessions must end. */
  readonly epoch: number
  /** Expiry of the set-up code, for an account that is not set up yet or was reset. */
  readonly setUpUntil: Date | null
  /**
   * Officers who could have set up this account themselves: the issuer of its set-up code, and the issuer of theirs.
   * Empty for a code from the operator's command; null if unknown.
   */
  readonly setUpBy: readonly string[] | null
  /** The officer signs in at the OpenID provider; the account has no credentials of its own. */
  readonly isProvided: boolean
  readonly hasPassword: boolean
  readonly hasTotp: boolean
  readonly createdAt: Date
  readonly lastSignInAt: Date | null
}

interface SetUpCode {
  readonly code: string
  readonly until: Date
  readonly by: readonly string[] | null
}

type NewStaffAccount = Pick<StaffAccount, 'id' | 'login' | 'name' | 'language' | 'roles' | 'createdAt'>

/** Identifies an officer at the OpenID provider. */
export interface ProviderIdentity {
  readonly issuer: string
  readonly subject: string
}

export interface StaffPasskey {
  readonly id: string
  readonly staffId: string
  /** As reported by the browser, base64url. */
  readonly credentialId: string
  /** COSE key. */
  readonly publicKey: Uint8Array
  readonly transports: readonly string[]
  readonly name: string
  readonly counter: number
  readonly createdAt: Date
  readonly lastUsedAt: Date | null
}

export interface Staff {
  /** @param identity null: a local account */
  add(account: NewStaffAccount, identity?: ProviderIdentity | null): void
  find(id: string): StaffAccount | null
  findByLogin(login: string): StaffAccount | null
  findByIdentity(identity: ProviderIdentity): StaffAccount | null
  /** Sorted in order of creation. */
  list(): readonly StaffAccount[]
  isEmpty(): boolean
  setRoles(id: string, roles: readonly string[]): void
  setLanguage(id: string, language: string): void
  setName(id: string, name: string): void
  setEnabled(id: string, enabled: boolean): void
  /** Ends the account's earlier sessions. Returns the new epoch. */
  endSessions(id: string): number
  /** Also removes all credentials. */
  remove(id: string): void

  giveSetUpCode(id: string, code: SetUpCode): void
  /** Marks the account as set up; the issuer of the code stays recorded. */
  endSetUp(id: string): void
  setUpCodeFits(id: string, code: string): boolean
  setPassword(id: string, encoded: string): void
  findPassword(id: string): string | null
  setTotp(id: string, secret: Uint8Array): void
  findTotp(id: string): Uint8Array | null
  /** Returns false if a code of this or a later step was used before. */
  takeTotpStep(id: string, step: number): boolean
  /** Invalidates the previous codes. */
  setRecoveryCodes(id: string, codes: readonly string[]): void
  /** Returns false if the code is unknown or used. */
  takeRecoveryCode(id: string, code: string, at: Date): boolean
  recoveryCodesLeft(id: string): number
  addPasskey(passkey: Omit<StaffPasskey, 'lastUsedAt'>): void
  listPasskeys(staffId: string): readonly StaffPasskey[]
  findPasskey(credentialId: string): StaffPasskey | null
  passkeyUsed(id: string, counter: number, at: Date): void
  removePasskey(staffId: string, id: string): boolean
  /** Removes password, app, passkeys and recovery codes. */
  dropCredentials(id: string): void
  signedIn(id: string, at: Date): void
}

interface Row {
  id: string
  profile_ct: Buffer
  roles: string
  enabled: number
  epoch: number
  setup_hash: Buffer | null
  setup_until: number | null
  set_up_by: string | null
  provider_hash: Buffer | null
  password_ct: Buffer | null
  totp_ct: Buffer | null
  created_at: number
  last_sign_in_at: number | null
}

interface PasskeyRow {
  id: string
  staff_id: string
  credential_ct: Buffer
  counter: number
  created_at: number
  last_used_at: number | null
}

interface Profile {
  readonly login: string
  readonly name: string
  readonly language: string
}

interface Credential {
  readonly credentialId: string
  readonly publicKey: string
  readonly transports: readonly string[]
  readonly name: string
}

const toDate = (ms: number | null): Date | null => (ms === null ? null : new Date(ms))

export function createStaff(db: Db, kek: Uint8Array, lookupHash: (value: string) => Buffer): Staff {
  const key = deriveKey(kek, 'staff')
  const sealed = (id: string, what: string, value: Uint8Array): Buffer =>
    seal(key, value, `staff-${what}:${id}`)
  const opened = (id: string, what: string, value: Buffer): Buffer =>
    unseal(key, value, `staff-${what}:${id}`)
  const sealJson = (id: string, what: string, value: object): Buffer =>
    sealed(id, what, Buffer.from(JSON.stringify(value), 'utf8'))
  const openJson = (id: string, what: string, value: Buffer): unknown =>
    JSON.parse(opened(id, what, value).toString('utf8'))
  const loginHash = (login: string): Buffer => lookupHash(`staff-login\n${login}`)
  const identityHash = ({ issuer, subject }: ProviderIdentity): Buffer =>
    lookupHash(`staff-provider\n${issuer}\n${subject}`)
  const codeHash = (id: string, what: string, code: string): Buffer => lookupHash(`${what}\n${id}\n${code}`)

  const insert = db.prepare(
    'INSERT INTO staff (id, login_hash, profile_ct, roles, created_at, provider_hash, set_up_by) VALUES (?, ?, ?, ?, ?, ?, ?)',
  )
  const byId = db.prepare<[string], Row>('SELECT * FROM staff WHERE id = ?')
  const byLogin = db.prepare<[Buffer], Row>('SELECT * FROM staff WHERE login_hash = ?')
  const byIdentity = db.prepare<[Buffer], Row>('SELECT * FROM staff WHERE provider_hash = ?')
  const all = db.prepare<[], Row>('SELECT * FROM staff ORDER BY created_at, id')
  const any = db.prepare('SELECT 1 FROM staff LIMIT 1')
  const putRoles = db.prepare('UPDATE staff SET roles = ? WHERE id = ?')
  const putProfile = db.prepare('UPDATE staff SET profile_ct = ? WHERE id = ?')
  const putEnabled = db.prepare('UPDATE staff SET enabled = ? WHERE id = ?')
  const nextEpoch = db.prepare<[string], { epoch: number }>(
    'UPDATE staff SET epoch = epoch + 1 WHERE id = ? RETURNING epoch',
  )
  const remove = db.prepare('DELETE FROM staff WHERE id = ?')
  const putSetUp = db.prepare('UPDATE staff SET setup_hash = ?, setup_until = ?, set_up_by = ? WHERE id = ?')
  const dropSetUp = db.prepare('UPDATE staff SET setup_hash = NULL, setup_until = NULL WHERE id = ?')
  const putPassword = db.prepare('UPDATE staff SET password_ct = ? WHERE id = ?')
  const putTotp = db.prepare('UPDATE staff SET totp_ct = ? WHERE id = ?')
  const putStep = db.prepare('UPDATE staff SET totp_step = ? WHERE id = ? AND totp_step < ?')
  const dropCodes = db.prepare('DELETE FROM staff_recovery_codes WHERE staff_id = ?')
  const addCode = db.prepare('INSERT INTO staff_recovery_codes (staff_id, code_hash) VALUES (?, ?)')
  const useCode = db.prepare(
    'UPDATE staff_recovery_codes SET used_at = ? WHERE staff_id = ? AND code_hash = ? AND used_at IS NULL',
  )
  const codesLeft = db.prepare<[string], { n: number }>(
    'SELECT count(*) AS n FROM staff_recovery_codes WHERE staff_id = ? AND used_at IS NULL',
  )
  const insertPasskey = db.prepare(
    `INSERT INTO staff_passkeys (id, staff_id, credential_hash, credential_ct, counter, created_at)
     VALUES (?, ?, ?, ?, ?, ?)`,
  )
  const passkeysOfStaff = db.prepare<[string], PasskeyRow>(
    'SELECT * FROM staff_passkeys WHERE staff_id = ? ORDER BY created_at, id',
  )
  const passkeyByCredential = db.prepare<[Buffer], PasskeyRow>(
    'SELECT * FROM staff_passkeys WHERE credential_hash = ?',
  )
  const usePasskey = db.prepare('UPDATE staff_passkeys SET counter = ?, last_used_at = ? WHERE id = ?')
  const dropPasskey = db.prepare('DELETE FROM staff_passkeys WHERE staff_id = ? AND id = ?')
  const dropPasskeys = db.prepare('DELETE FROM staff_passkeys WHERE staff_id = ?')
  const dropSecrets = db.prepare('UPDATE staff SET password_ct = NULL, totp_ct = NULL WHERE id = ?')
  const putSignIn = db.prepare('UPDATE staff SET last_sign_in_at = ? WHERE id = ?')

  const toAccount = (row: Row): StaffAccount => ({
    ...(openJson(row.id, 'profile', row.profile_ct) as Profile),
    id: row.id,
    roles: JSON.parse(row.roles) as string[],
    enabled: row.enabled === 1,
    epoch: row.epoch,
    setUpUntil: toDate(row.setup_until),
    setUpBy: row.set_up_by === null ? null : (JSON.parse(row.set_up_by) as string[]),
    isProvided: row.provider_hash !== null,
    hasPassword: row.password_ct !== null,
    hasTotp: row.totp_ct !== null,
    createdAt: new Date(row.created_at),
    lastSignInAt: toDate(row.last_sign_in_at),
  })
  const toPasskey = (row: PasskeyRow): StaffPasskey => {
    const credential = openJson(row.id, 'passkey', row.credential_ct) as Credential
    return {
      ...credential,
      id: row.id,
      staffId: row.staff_id,
      publicKey: new Uint8Array(Buffer.from(credential.publicKey, 'base64url')),
      counter: row.counter,
      createdAt: new Date(row.created_at),
      lastUsedAt: toDate(row.last_used_at),
    }
  }
  const changeProfile = (id: string, change: Partial<Profile>): void => {
    const row = byId.get(id)
    if (!row) return
    const profile = openJson(id, 'profile', row.profile_ct) as Profile
    putProfile.run(sealJson(id, 'profile', { ...profile, ...change }), id)
  }
  const found = (row: Row | undefined): StaffAccount | null => (row ? toAccount(row) : null)
  return {
    add: ({ id, login, name, language, roles, createdAt }, identity = null) => {
      const profile = sealJson(id, 'profile', { login, name, language })
      insert.run(
        id,
        loginHash(login),
        profile,
        JSON.stringify(roles),
        createdAt.getTime(),
        identity && identityHash(identity),
        // No officer could have set it up: the provider knows the person.
        identity && '[]',
      )
    },
    find: (id) => found(byId.get(id)),
    findByIdentity: (identity) => found(byIdentity.get(identityHash(identity))),
    findByLogin: (login) => found(byLogin.get(loginHash(login))),
    list: () => all.all().map(toAccount),
    isEmpty: () => any.get() === undefined,
    setRoles: (id, roles) => void putRoles.run(JSON.stringify(roles), id),
    setLanguage: (id, language) => changeProfile(id, { language }),
    setName: (id, name) => changeProfile(id, { name }),
    setEnabled: (id, enabled) => void putEnabled.run(enabled ? 1 : 0, id),
    endSessions: (id) => nextEpoch.get(id)?.epoch ?? 0,
    remove: (id) => void remove.run(id),

    giveSetUpCode: (id, { code, until, by }) => {
      const kept = by === null ? null : JSON.stringify(by)
      putSetUp.run(codeHash(id, 'staff-setup', code), until.getTime(), kept, id)
    },
    endSetUp: (id) => void dropSetUp.run(id),
    setUpCodeFits: (id, code) => {
      const kept = byId.get(id)?.setup_hash
      return !!kept && timingSafeEqual(kept, codeHash(id, 'staff-setup', code))
    },
    setPassword: (id, encoded) =>
      void putPassword.run(sealed(id, 'password', Buffer.from(encoded, 'utf8')), id),
    findPassword: (id) => {
      const kept = byId.get(id)?.password_ct
      return kept ? opened(id, 'password', kept).toString('utf8') : null
    },
    setTotp: (id, secret) => void putTotp.run(sealed(id, 'totp', secret), id),
    findTotp: (id) => {
      const kept = byId.get(id)?.totp_ct
      return kept ? new Uint8Array(opened(id, 'totp', kept)) : null
    },
    takeTotpStep: (id, step) => putStep.run(step, id, step).changes > 0,
    setRecoveryCodes: (id, codes) => {
      dropCodes.run(id)
      for (const code of codes) addCode.run(id, codeHash(id, 'staff-recovery', code))
    },
    takeRecoveryCode: (id, code, at) =>
      useCode.run(at.getTime(), id, codeHash(id, 'staff-recovery', code)).changes > 0,
    recoveryCodesLeft: (id) => codesLeft.get(id)?.n ?? 0,
    addPasskey: ({ id, staffId, credentialId, publicKey, transports, name, counter, createdAt }) => {
      const credential: Credential = {
        credentialId,
        publicKey: Buffer.from(publicKey).toString('base64url'),
        transports,
        name,
      }
      const hash = lookupHash(`staff-passkey\n${credentialId}`)
      insertPasskey.run(id, staffId, hash, sealJson(id, 'passkey', credential), counter, createdAt.getTime())
    },
    listPasskeys: (staffId) => passkeysOfStaff.all(staffId).map(toPasskey),
    findPasskey: (credentialId) => {
      const row = passkeyByCredential.get(lookupHash(`staff-passkey\n${credentialId}`))
      return row ? toPasskey(row) : null
    },
    passkeyUsed: (id, counter, at) => void usePasskey.run(counter, at.getTime(), id),
    removePasskey: (staffId, id) => dropPasskey.run(staffId, id).changes > 0,
    dropCredentials: (id) => {
      dropSecrets.run(id)
      dropPasskeys.run(id)
      dropCodes.run(id)
    },
    signedIn: (id, at) => void putSignIn.run(at.getTime(), id),
  }
}
