/**
 * Alerts of this computer: a sound and a desktop notification. The browser asks for permission only after a
 * click.
 */
import { useState } from 'preact/hooks'
import { requestNotePermission, isSoundOn, notePermission, ring, setSoundOn } from '../../alerts.ts'
import { useText } from '../../text.tsx'
import { Button } from '../../ui/button.tsx'
import { CheckField } from '../../ui/field.tsx'

export function AlertSwitches() {
  const { t } = useText()
  const [sound, setSound] = useState(isSoundOn)
  const [notes, setNotes] = useState(notePermission)
  return (
    <div class="alert-switches">
      <CheckField
        label={t('waiting.sound')}
        checked={sound}
        onChange={(on) => {
          setSoundOn(on)
          setSound(on)
          // Play it immediately, so that the officer knows its volume.
          if (on) ring()
        }}
      />
      {notes === 'default' && (
        <Button kind="quiet" onClick={() => void requestNotePermission().then(setNotes)}>
          {t('waiting.notes.ask')}
        </Button>
      )}
      {notes === 'granted' && <span class="muted">{t('waiting.notes.on')}</span>}
      {notes === 'denied' && <span class="muted">{t('waiting.notes.denied')}</span>}
    </div>
  )
}
