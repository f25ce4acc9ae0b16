/**
 * Pictures for eyes and for the scripted vision at once: a specimen's photo, and behind its end what the script reads in it.
 * For pages that show pictures, where a script alone would leave a broken image.
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Vision } from '../../server/vision/protocol.ts'
import { picture } from '../server/app/scripted-vision.ts'
import type { Scene } from '../server/app/scripted-vision.ts'

const SPECIMENS = join(import.meta.dirname, '../../resources/specimens/alba')
const PHOTOS = { passport: 'passport-photo.jpg', face: 'portrait.jpg', page: 'passport-page.png' } as const
/** The eyes of `face`, from the specimen's labels.json. */
const EYES = {
  rightEye: { x: 174.1, y: 257.9 },
  leftEye: { x: 305.9, y: 257.9 },
  nose: { x: 240, y: 353.9 },
  mouth: { x: 240, y: 401.8 },
}
const SCRIPT = '{"shows"'

/** The specimen to look at; the scene is what the vision sees. */
export function visiblePicture(photo: keyof typeof PHOTOS, scene: Scene | Uint8Array): Buffer {
  const script = scene instanceof Uint8Array ? scene : picture(scene)
  return Buffer.concat([readFileSync(join(SPECIMENS, PHOTOS[photo])), script])
}

/** The scripted vision reads what stands behind the end of a picture; faces that it cuts out can be looked at, too. */
export function readsBehind(scripted: Vision): Vision {
  return new Proxy(scripted, {
    get: (target, call) => {
      const found = Reflect.get(target, call) as unknown
      if (typeof found !== 'function') return found
      return (input: unknown, ...more: unknown[]) => {
        const answer: unknown = (found as (...all: unknown[]) => unknown).call(target, behind(input), ...more)
        const show = (seen: unknown): unknown => withWholeLength(visible(seen), input)
        // Synchronous answers of the scripted vision (its restarts, its sandbox) must stay synchronous.
        return answer instanceof Promise ? answer.then(show) : show(answer)
      }
    },
  })
}

/** The script lies behind the end of the picture, where the appliance would cut it off: here it belongs to the picture. */
function withWholeLength(answer: unknown, input: unknown): unknown {
  if (!isPlain(answer) || !('byteLength' in answer)) return answer
  const image = isPlain(input) && 'image' in input ? input.image : null
  return image instanceof Uint8Array ? { ...answer, byteLength: image.byteLength } : answer
}

function behind(value: unknown): unknown {
  if (value instanceof Uint8Array) {
    const at = Buffer.from(value).indexOf(SCRIPT)
    return at > 0 ? value.subarray(at) : value
  }
  if (Array.isArray(value)) return value.map(behind)
  if (!isPlain(value)) return value
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, behind(member)]))
}

function visible(value: unknown): unknown {
  if (value instanceof Uint8Array) {
    const text = Buffer.from(value)
    return text.indexOf(SCRIPT) === 0 && text.includes('"person"') ? visiblePicture('face', text) : value
  }
  if (Array.isArray(value)) return value.map(visible)
  if (!isPlain(value)) return value
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [name, name === 'landmarks' ? EYES : visible(member)]),
  )
}

function isPlain(value: unknown): value is object {
  return typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype
}
