/**
 * Alerts outside the page for a waiting applicant: two soft tones, and a desktop notification. Each is a
 * setting of this computer.
 */

/** Settings of this computer. They hold no personal data. */
const SOUND_OFF = 'counterproof-counter-silent'

export const isSoundOn = (): boolean => localStorage.getItem(SOUND_OFF) === null

export function setSoundOn(on: boolean): void {
  if (on) localStorage.removeItem(SOUND_OFF)
  else localStorage.setItem(SOUND_OFF, 'yes')
}

/**
 * A rising fourth, twice: audible across a room, and unlike the kiosk's tones. Hertz and seconds; starting
 * values.
 */
const NOTES = [
  { hertz: 587.33, at: 0 },
  { hertz: 783.99, at: 0.16 },
  { hertz: 587.33, at: 0.5 },
  { hertz: 783.99, at: 0.66 },
]
const LASTS = 0.3
const VOLUME = 0.4

let context: AudioContext | null = null

/**
 * Plays the tones. Before the first touch of a reloaded page the browser may refuse; the page shows the same
 * call, so silence is acceptable.
 */
export function ring(): void {
  try {
    context ??= new AudioContext()
    void context.resume().catch(() => undefined)
    for (const { hertz, at } of NOTES) {
      const from = context.currentTime + at
      const oscillator = new OscillatorNode(context, { type: 'sine', frequency: hertz })
      const gain = new GainNode(context, { gain: 0 })
      gain.gain.setValueAtTime(0, from)
      gain.gain.linearRampToValueAtTime(VOLUME, from + 0.02)
      gain.gain.exponentialRampToValueAtTime(0.001, from + LASTS)
      oscillator.connect(gain).connect(context.destination)
      oscillator.start(from)
      oscillator.stop(from + LASTS)
    }
  } catch {
    // The computer has no loudspeaker.
  }
}

type NotePermission = NotificationPermission | 'absent'

/** `absent`: this browser, or an address without TLS, has no notifications. */
export function notePermission(): NotePermission {
  return 'Notification' in window && isSecureContext ? Notification.permission : 'absent'
}

export async function requestNotePermission(): Promise<NotePermission> {
  if (notePermission() === 'absent') return 'absent'
  return Notification.requestPermission()
}

/** Shows one notification at a time, without personal data; the next one replaces it. */
export function showNote(title: string, body: string): void {
  if (notePermission() !== 'granted') return
  const note = new Notification(title, { body, tag: 'counterproof-waiting' })
  note.addEventListener('click', () => {
    window.focus()
    note.close()
  })
}
