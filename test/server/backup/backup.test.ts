/** Backups of a real appliance that continues working meanwhile, restored and read. */
import { createHash, randomBytes } from 'node:crypto'
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { v7 as uuidv7 } from 'uuid'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { ANCHOR_FILE, readAnchor, writeAnchor } from '../../../server/store/anchor.ts'
import { verifyAudit } from '../../../server/audit/verify.ts'
import { openBackup, readBackupHeader } from '../../../server/backup/backup-file.ts'
import { backUpData, backUpKeys, type MadeBackup } from '../../../server/backup/create.ts'
import { restoreBackup, verifyBackup } from '../../../server/backup/restore.ts'
import type { Identity } from '../../../server/proofing/identity.ts'
import { createKey } from '../../../server/store/crypto.ts'
import { openStore } from '../../../server/store/open.ts'
import { anEvidence, AT, openTestStore, type TestStore } from '../../support/store.ts'

let t: TestStore
let folder: string
beforeEach(() => {
  t = openTestStore()
  folder = mkdtempSync(join(tmpdir(), 'counterproof-backup-'))
  for (const name of ['data', 'keys', 'x']) mkdirSync(place(name))
})
afterEach(() => {
  t.close()
  rmSync(folder, { recursive: true, force: true })
})

const later = (minutes: number): Date => new Date(AT.getTime() + minutes * 60_000)
const place = (name: string): string => join(folder, name)
const source = () => ({ store: t.store, dataDir: t.dataDir, kek: t.kek })

/** An identity with a picture and a proof of these bytes. */
async function addProofed(content: Buffer): Promise<Identity> {
  const identity = t.addIdentity()
  const evidence = anEvidence(identity.id)
  const common = { identityId: identity.id, createdAt: AT }
  const image = {
    ...common,
    id: uuidv7(),
    evidenceId: evidence.id,
    kind: 'FRONT',
    mediaType: 'image/png',
  } as const
  const proof = {
    id: uuidv7(),
    identityId: identity.id,
    fileName: 'proof.zip',
    sha256: createHash('sha256').update(content).digest('hex'),
    bytes: content.length,
    levelOfAssurance: 'LOA1',
    sealedAt: AT,
    expiresAt: later(60),
  }
  t.store.images.put(image, content)
  await t.store.proofs.put(proof, [content])
  t.store.transaction(() => {
    t.store.evidences.add(evidence)
    t.store.images.addRow(image)
    t.store.proofs.addRow(proof)
    t.store.events.append('proof.sealed', identity.id, { proofId: proof.id, levelOfAssurance: 'LOA1' }, AT)
  })
  return identity
}

function erase(identity: Identity): void {
  const images = t.store.images.listByIdentity(identity.id)
  const proof = t.store.proofs.find(identity.id)
  t.store.vault.destroy(identity.id)
  t.store.transaction(() => t.store.identities.erase(identity.id))
  t.store.images.unlink(images)
  if (proof) t.store.proofs.unlink(proof)
  t.store.scrub()
}

async function backUp(at = AT): Promise<{ data: MadeBackup; keys: MadeBackup }> {
  const data = await backUpData(source(), place('data'), at)
  return { data, keys: await backUpKeys(source(), place('keys'), at) }
}

async function proofBytes(dataDir: string, identityId: string): Promise<Buffer> {
  const store = openStore(dataDir, t.kek)
  try {
    const proof = store.proofs.find(identityId)
    if (!proof) throw new TypeError('no proof')
    const pieces: Uint8Array[] = []
    for await (const piece of store.proofs.read(proof)) pieces.push(piece)
    return Buffer.concat(pieces)
  } finally {
    store.close()
  }
}

describe('a backup', () => {
  test('made while the appliance keeps writing is whole, and restores byte for byte', async () => {
    const content = randomBytes(3_000_000)
    const identity = await addProofed(content)
    const making = backUp()
    for (let index = 0; index < 50; index++) t.addIdentity()
    const { data, keys } = await making
    const report = await verifyBackup({ backup: data.path, keys: keys.path, kek: t.kek, near: folder })
    expect(report).toMatchObject({ problems: [], erasedSince: 0, files: 2 })
    const target = place('restored')
    await restoreBackup({ backup: data.path, keys: keys.path, dataDir: target, kek: t.kek }, later(5))
    expect((await proofBytes(target, identity.id)).equals(content)).toBe(true)
  })

  test('brings back the settings of the tenant, with their earlier versions, and never over newer ones', async () => {
    const put = (dataDir: string, file: string, text: string) => {
      mkdirSync(join(dataDir, file, '..'), { recursive: true, mode: 0o700 })
      writeFileSync(join(dataDir, file), text, { mode: 0o600 })
    }
    const files = ['journeys/default.json', 'brands/own/logo.svg', 'settings-history/journey/000001.json']
    for (const file of files) put(t.dataDir, file, file)
    put(t.dataDir, 'journeys/not ours (copy).json', 'a name that the appliance never gives')
    const { data, keys } = await backUp()
    const target = place('restored')
    put(target, 'journeys/default.json', 'newer')
    await restoreBackup({ backup: data.path, keys: keys.path, dataDir: target, kek: t.kek }, later(5))
    const [journey, ...others] = files.map((file) => readFileSync(join(target, file), 'utf8'))
    expect([journey, others]).toEqual(['newer', files.slice(1)])
    expect(readdirSync(join(target, 'journeys'))).toEqual(['default.json'])
  })

  test('says in the log of the restored appliance that it was restored, and its chain continues unbroken', async () => {
    await addProofed(Buffer.from('proof'))
    const { data, keys } = await backUp()
    const target = place('restored')
    await restoreBackup({ backup: data.path, keys: keys.path, dataDir: target, kek: t.kek }, later(5))
    const store = openStore(target, t.kek)
    expect(store.events.after(0, 1000).at(-1)).toMatchObject({
      type: 'appliance.restored',
      actor: 'operator',
    })
    expect(store.auditEvents()).toEqual([])
    store.close()
  })

  test('that is restored into an empty folder is whole to the check of the log; one that is older than the log was is not', async () => {
    const before = join(t.dataDir, ANCHOR_FILE)
    t.store.events.append('audit.checkpointed', null, { seq: 1 }, AT)
    const { data, keys } = await backUp()
    t.addIdentity()
    t.store.events.append('audit.checkpointed', null, { seq: 2 }, later(1))
    writeAnchor(t.dataDir, t.store.events.sealedHead())
    const findings = async (dataDir: string) => {
      const report = await verifyAudit({ dataDir, kek: t.kek })
      return report.findings.filter(({ table }) => table === ANCHOR_FILE).map(({ problem }) => problem)
    }
    const input = { backup: data.path, keys: keys.path, kek: t.kek }
    const empty = place('empty')
    await restoreBackup({ ...input, dataDir: empty }, later(5))
    expect(readAnchor(empty)).not.toBeUndefined()
    expect(await findings(empty)).toEqual([])
    const ran = place('ran')
    mkdirSync(ran, { mode: 0o700 })
    cpSync(before, join(ran, ANCHOR_FILE))
    await restoreBackup({ ...input, dataDir: ran }, later(5))
    expect(readFileSync(join(ran, ANCHOR_FILE))).toEqual(readFileSync(before))
    rmSync(join(empty, ANCHOR_FILE))
    expect(await findings(empty)).toEqual(['missing'])
  })

  test('of yesterday does not bring back who was erased today, and the others are readable', async () => {
    const canary = Buffer.from(`CANARY-${randomBytes(16).toString('hex')}`)
    const erased = await addProofed(canary)
    const stays = await addProofed(Buffer.from('stays'))
    const yesterday = await backUpData(source(), place('data'), AT)
    erase(erased)
    const keys = await backUpKeys(source(), place('keys'), later(24 * 60))
    const target = place('restored')
    const report = await restoreBackup(
      { backup: yesterday.path, keys: keys.path, dataDir: target, kek: t.kek },
      later(24 * 60),
    )
    expect(report).toMatchObject({ identities: 1, erasedSince: 1, problems: [] })
    await expect(proofBytes(target, erased.id)).rejects.toThrow('not_found')
    expect((await proofBytes(target, stays.id)).toString()).toBe('stays')
    for (const file of readdirSync(target, { recursive: true, withFileTypes: true })) {
      if (file.isFile()) expect(readFileSync(join(file.parentPath, file.name)).includes(canary)).toBe(false)
    }
  })

  test('keeps one copy of the keys alone: the newer replaces the older', async () => {
    await backUpKeys(source(), place('keys'), AT)
    await backUpKeys(source(), place('keys'), later(1))
    const [only, ...more] = readdirSync(place('keys'))
    expect(more).toEqual([])
    expect((await readBackupHeader(join(place('keys'), only ?? ''))).createdAt).toBe(later(1).getTime())
  })

  test('of an erased identity’s files continues without them when they vanish while it is made', async () => {
    const goes = await addProofed(randomBytes(100))
    await addProofed(randomBytes(2_000_000))
    const making = backUpData(source(), place('data'), AT)
    erase(goes)
    const data = await making
    const keys = await backUpKeys(source(), place('keys'), AT)
    const report = await verifyBackup({ backup: data.path, keys: keys.path, kek: t.kek, near: folder })
    expect(report.problems).toEqual([])
  })

  test('is refused when a file that the appliance needs is gone: it would not be whole', async () => {
    const identity = await addProofed(Buffer.from('proof'))
    const proof = t.store.proofs.find(identity.id)
    if (proof) t.store.proofs.unlink(proof)
    await expect(backUpData(source(), place('data'), AT)).rejects.toThrow('backup_refused')
    expect(readdirSync(place('data'))).toEqual([])
  })

  test('holds nothing that can be read without the master key', async () => {
    const identity = await addProofed(Buffer.from('some proof'))
    const { data, keys } = await backUp()
    for (const { path } of [data, keys]) {
      expect(readFileSync(path).includes(Buffer.from(identity.id))).toBe(false)
      await expect(openBackup(path, createKey())).rejects.toMatchObject({
        code: 'backup_refused',
        details: { reason: 'it was made with another master key' },
      })
    }
  })
})

describe('restoring refuses', () => {
  test('a folder that holds a database, and leaves it as it is', async () => {
    const { data, keys } = await backUp()
    const before = readFileSync(join(t.dataDir, 'appliance.sqlite'))
    await expect(
      restoreBackup({ backup: data.path, keys: keys.path, dataDir: t.dataDir, kek: t.kek }, AT),
    ).rejects.toThrow('backup_refused')
    expect(readFileSync(join(t.dataDir, 'appliance.sqlite')).equals(before)).toBe(true)
  })

  test.each([0.02, 0.3, 0.6, 0.9, 0.999])('a file that was altered at %f of its length', async (where) => {
    await addProofed(randomBytes(2_000_000))
    const { data, keys } = await backUp()
    const bytes = readFileSync(data.path)
    const at = Math.floor(bytes.length * where)
    bytes.writeUInt8((bytes.readUInt8(at) + 1) % 256, at)
    writeFileSync(data.path, bytes)
    const target = place('restored')
    await expect(
      restoreBackup({ backup: data.path, keys: keys.path, dataDir: target, kek: t.kek }, AT),
    ).rejects.toThrow()
    expect(readdirSync(target)).toEqual([])
  })

  test('a file that was cut off, an empty one, and one of something else', async () => {
    const { data, keys } = await backUp()
    const whole = readFileSync(data.path)
    for (const bytes of [
      whole.subarray(0, whole.length - 20),
      Buffer.alloc(0),
      Buffer.from('PK not a backup'),
    ]) {
      writeFileSync(data.path, bytes)
      const target = place(`restored-${bytes.length}`)
      await expect(
        restoreBackup({ backup: data.path, keys: keys.path, dataDir: target, kek: t.kek }, AT),
      ).rejects.toThrow()
    }
  })

  test('the keys of another appliance, data in place of keys, and no keys at all', async () => {
    const { data, keys } = await backUp()
    const other = openTestStore()
    const foreign = await backUpKeys(
      { store: other.store, dataDir: other.dataDir, kek: t.kek },
      place('x'),
      AT,
    )
    other.close()
    const restored = (keysPath: string | null) =>
      restoreBackup({ backup: data.path, keys: keysPath, dataDir: place('restored'), kek: t.kek }, AT)
    const reason = (text: string) => ({
      code: 'backup_refused',
      details: { reason: expect.stringContaining(text) as unknown },
    })
    await expect(restored(foreign.path)).rejects.toMatchObject(reason('another appliance'))
    await expect(restored(data.path)).rejects.toMatchObject(reason('backup of data'))
    await expect(restored(null)).rejects.toMatchObject(reason('--keys'))
    expect((await restored(keys.path)).problems).toEqual([])
  })

  test('a copy of the keys that is older than the backup, unless told', async () => {
    const keys = await backUpKeys(source(), place('keys'), AT)
    t.addIdentity()
    const data = await backUpData(source(), place('data'), later(1))
    const input = { backup: data.path, keys: keys.path, dataDir: place('restored'), kek: t.kek }
    const refused = {
      code: 'backup_refused',
      details: { problems: [expect.stringContaining('1 identities')] },
    }
    await expect(restoreBackup(input, later(2))).rejects.toMatchObject(refused)
    const report = await restoreBackup({ ...input, olderKeys: true }, later(2))
    expect(report).toMatchObject({ identities: 0, erasedSince: 0, lost: 1, problems: [] })
    expect(() => openStore(place('restored'), t.kek)).toThrow('key_unavailable')
  })

  test('older keys where newer ones lie', async () => {
    const { data, keys } = await backUp()
    const target = place('restored')
    mkdirSync(target)
    await restoreBackup({ backup: data.path, keys: keys.path, dataDir: target, kek: t.kek }, AT)
    rmSync(join(target, 'appliance.sqlite'))
    await expect(
      restoreBackup({ backup: data.path, keys: keys.path, dataDir: target, kek: t.kek }, AT),
    ).rejects.toMatchObject({ details: { reason: expect.stringContaining('newer') as unknown } })
    await restoreBackup({ backup: data.path, keys: null, dataDir: target, kek: t.kek }, AT)
  })
})
