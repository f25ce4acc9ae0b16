/** How a waiting person makes itself known beside the page: two soft tones, and a note of the desktop. Each is this computer's choice. */

/** Settings of this computer. They hold no personal data. */
const SOUND_OFF = 'counterproof-counter-silent'

export const isSoundOn = (): boolean => localStorage.getItem(SOUND_OFF) === null

export function setSoundOn(on: boolean): void {
  if (on) localStorage.removeItem(SOUND_OFF)
  else localStorage.setItem(SOUND_OFF, 'yes')
}

/** A rising fourth, twice: heard across a room, and unlike the kiosk's tones. Hertz and seconds; starting values. */
const NOTES = [
  { hertz: 587.33, at: 0 },
  { hertz: 783.99, at: 0.16 },
  { hertz: 587.33, at: 0.5 },
  { hertz: 783.99, at: 0.66 },
]
const LASTS = 0.3
const VOLUME = 0.4

let context: AudioContext | null = null

/** Before the first touch of a page that was loaded again the browser may refuse: then there is silence, and the page says the same. */
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
    // No loudspeaker.
  }
}

export type NotePermission = NotificationPermission | 'absent'

/** `absent`: this browser, or this address without TLS, has none. */
export function notePermission(): NotePermission {
  return 'Notification' in window && isSecureContext ? Notification.permission : 'absent'
}

export async function askForNotes(): Promise<NotePermission> {
  if (notePermission() === 'absent') return 'absent'
  return Notification.requestPermission()
}

/** One at a time: the next takes its place. Nothing of a person stands in it. */
export function showNote(title: string, body: string): void {
  if (notePermission() !== 'granted') return
  const note = new Notification(title, { body, tag: 'counterproof-waiting' })
  note.addEventListener('click', () => {
    window.focus()
    note.close()
  })
}
