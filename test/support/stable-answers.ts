/** Replaces identifiers, secrets and signatures by values that are the same in every run. */

const UUID = /\b[0-9a-f]{8}-[0-9a-f]{4}-([0-9a-f])[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}\b/g

/** @param addresses of this run → of the examples */
export function makeStable(
  examples: Readonly<Record<string, unknown>>,
  addresses: Readonly<Record<string, string>>,
): Readonly<Record<string, unknown>> {
  const ids = new Map<string, string>()
  const stableId = (id: string, version: string): string => {
    const number = (ids.size + 1).toString(16).padStart(12, '0')
    const stable = ids.get(id) ?? `01890a5d-ac96-${version}74b-bcce-${number}`
    ids.set(id, stable)
    return stable
  }
  const stableText = (text: string): string => {
    const renamed = Object.entries(addresses).reduce((all, [from, to]) => all.replaceAll(from, to), text)
    return renamed
      .replaceAll(UUID, stableId)
      .replaceAll(/\beyJ[\w-]+\.[\w-]+\.[\w-]+/g, 'eyJhbGciOiJSUzI1NiJ9.e30.c2lnbmF0dXJl')
      .replaceAll(/\bwhsec_[\w+/]+=*/g, 'whsec_c2VjcmV0IG9mIGFuIGV4YW1wbGUgYWxvbmU=')
      .replaceAll(/\bcpt_[\w-]+/g, 'cpt_r3Qm0f0r1nTheExampleAlone')
      .replaceAll(/\b[0-9a-f]{64}\b/g, '0'.repeat(64))
  }
  const stable = (value: unknown, name = ''): unknown => {
    if (typeof value === 'string') return STABLE_MEMBERS[name] ?? stableText(value)
    // A measurement: the last digits depend on the processor.
    if (typeof value === 'number' && !Number.isInteger(value)) return Math.round(value * 100) / 100
    // A sequence of the audit log; a first frame has 1.
    if (name === 'sequence' && typeof value === 'number' && value > 1) return 812
    if (Array.isArray(value)) return value.map((item) => stable(item, name))
    if (typeof value !== 'object' || value === null) return value
    return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, stable(item, key)]))
  }
  return Object.fromEntries(Object.entries(examples).map(([name, example]) => [name, stable(example)]))
}

/** Random members, each with its own format. */
const STABLE_MEMBERS: Readonly<Record<string, string>> = {
  n: 'u1SU1LfVLPHC',
  kid: 'w7v1',
  ticket: '3q2-7wAAAAAAAAAAAAAAAA',
  idpAuthorizeEndpoint:
    'https://idp.example/authorize?response_type=code&client_id=counterproof&state=opaque',
}
