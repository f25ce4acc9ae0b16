/** Form controls: the label above, the hint below it, the problem below that; all linked to the control. */
import type { ComponentChildren } from 'preact'
import { useId, useState } from 'preact/hooks'
import { useKitText } from '../text.tsx'
import { Icon } from './icon.tsx'

interface FieldFrame {
  readonly label: string
  readonly hint?: ComponentChildren
  /** The problem to correct; shown and announced. */
  readonly problem?: string | null
}

function Frame({
  id,
  label,
  hint,
  problem,
  children,
}: FieldFrame & { readonly id: string; readonly children: ComponentChildren }) {
  return (
    <div class={`field${problem ? ' field-wrong' : ''}`}>
      <label for={id}>{label}</label>
      {hint && (
        <div class="hint" id={`${id}-hint`}>
          {hint}
        </div>
      )}
      {children}
      {problem && (
        <p class="field-problem" id={`${id}-problem`} role="alert">
          <Icon name="octagon" size={16} />
          <span>{problem}</span>
        </p>
      )}
    </div>
  )
}

const described = (id: string, hint: unknown, problem: unknown): string | undefined =>
  [hint ? `${id}-hint` : '', problem ? `${id}-problem` : ''].filter(Boolean).join(' ') || undefined

/** Preact's types separate the kinds of inputs; the attributes used here exist on all of them. */
const asText = (type: string) => ({ type }) as { readonly type: 'text' }

/** The browser's autocompletion. */
type Autocomplete = 'off' | 'username' | 'one-time-code' | 'current-password' | 'new-password'

interface TextFieldProps extends FieldFrame {
  readonly value: string
  readonly onInput: (value: string) => void
  readonly type?: 'text' | 'email' | 'search' | 'date' | 'url'
  readonly autocomplete?: Autocomplete
  readonly inputMode?: 'text' | 'numeric' | 'search'
  readonly required?: boolean
  readonly readOnly?: boolean
  readonly maxLength?: number
  readonly size?: 'short' | 'code'
  readonly autofocus?: boolean
  readonly dir?: 'ltr' | 'auto'
}

export function TextField(props: TextFieldProps) {
  const id = useId()
  const { label, hint, problem, value, onInput, type = 'text', autocomplete = 'off', size, autofocus } = props
  return (
    <Frame id={id} label={label} hint={hint} problem={problem}>
      <input
        id={id}
        {...asText(type)}
        class={size ? `input input-${size}` : 'input'}
        value={value}
        autocomplete={autocomplete}
        inputMode={props.inputMode}
        required={props.required}
        readOnly={props.readOnly}
        maxLength={props.maxLength}
        dir={props.dir}
        spellcheck={false}
        autofocus={autofocus}
        aria-invalid={problem ? true : undefined}
        aria-describedby={described(id, hint, problem)}
        onInput={(event) => onInput(event.currentTarget.value)}
      />
    </Frame>
  )
}

/** The input can be shown, and pasting is allowed. */
export function PasswordField(
  props: Omit<TextFieldProps, 'type' | 'size'> & {
    /** `off`: the browser does not offer to store the input. */
    readonly autocomplete: 'current-password' | 'new-password' | 'off'
  },
) {
  const id = useId()
  const { t } = useKitText()
  const [shown, setShown] = useState(false)
  const { label, hint, problem, value, onInput, autocomplete } = props
  return (
    <Frame id={id} label={label} hint={hint} problem={problem}>
      <div class="input-with-button">
        <input
          id={id}
          class="input"
          {...asText(shown ? 'text' : 'password')}
          value={value}
          autocomplete={autocomplete}
          required={props.required}
          spellcheck={false}
          dir="ltr"
          aria-invalid={problem ? true : undefined}
          aria-describedby={described(id, hint, problem)}
          onInput={(event) => onInput(event.currentTarget.value)}
        />
        <button
          type="button"
          class="input-button"
          aria-pressed={shown}
          aria-label={t('password.show')}
          onClick={() => setShown(!shown)}
        >
          <Icon name={shown ? 'eye-off' : 'eye'} />
          <span aria-hidden="true">{shown ? t('hide') : t('show')}</span>
        </button>
      </div>
    </Frame>
  )
}

export function FileField({
  id: given,
  label,
  hint,
  problem,
  accept,
  onFile,
}: FieldFrame & {
  readonly id?: string
  readonly accept: string
  readonly onFile: (file: File | null) => void
}) {
  const made = useId()
  const id = given ?? made
  return (
    <Frame id={id} label={label} hint={hint} problem={problem}>
      <input
        id={id}
        class="input"
        type="file"
        accept={accept}
        aria-invalid={problem ? true : undefined}
        aria-describedby={described(id, hint, problem)}
        onChange={({ currentTarget }) => onFile(currentTarget.files?.[0] ?? null)}
      />
    </Frame>
  )
}

export interface Choice<V extends string> {
  readonly value: V
  readonly label: string
  readonly hint?: string
}

export function SelectField<V extends string>({
  label,
  hint,
  problem,
  value,
  choices,
  onChange,
}: FieldFrame & {
  readonly value: V
  readonly choices: readonly Choice<V>[]
  readonly onChange: (value: V) => void
}) {
  const id = useId()
  return (
    <Frame id={id} label={label} hint={hint} problem={problem}>
      <select
        id={id}
        class="input"
        value={value}
        aria-describedby={described(id, hint, problem)}
        onChange={(event) => onChange(event.currentTarget.value as V)}
      >
        {choices.map((choice) => (
          <option key={choice.value} value={choice.value}>
            {choice.label}
          </option>
        ))}
      </select>
    </Frame>
  )
}

export function TextArea({
  label,
  hint,
  problem,
  value,
  maxLength = 500,
  onInput,
}: FieldFrame & {
  readonly value: string
  readonly maxLength?: number
  readonly onInput: (value: string) => void
}) {
  const id = useId()
  return (
    <Frame id={id} label={label} hint={hint} problem={problem}>
      <textarea
        id={id}
        class="input"
        rows={3}
        maxLength={maxLength}
        dir="auto"
        value={value}
        aria-invalid={problem ? true : undefined}
        aria-describedby={described(id, hint, problem)}
        onInput={(event) => onInput(event.currentTarget.value)}
      />
    </Frame>
  )
}

export function CheckField({
  label,
  hint,
  checked,
  disabled,
  onChange,
}: {
  readonly label: ComponentChildren
  readonly hint?: string
  readonly checked: boolean
  readonly disabled?: boolean
  readonly onChange: (checked: boolean) => void
}) {
  const id = useId()
  return (
    <div class="check">
      <input
        id={id}
        type="checkbox"
        checked={checked}
        disabled={disabled}
        aria-describedby={hint ? `${id}-hint` : undefined}
        onChange={(event) => onChange(event.currentTarget.checked)}
      />
      <label for={id}>{label}</label>
      {hint && (
        <p class="hint" id={`${id}-hint`}>
          {hint}
        </p>
      )}
    </div>
  )
}

export function RadioGroup<V extends string>({
  legend,
  hint,
  problem,
  value,
  choices,
  inline = false,
  onChange,
}: {
  readonly legend: string
  readonly hint?: string
  readonly problem?: string | null
  readonly value: V | null
  readonly choices: readonly Choice<V>[]
  readonly inline?: boolean
  readonly onChange: (value: V) => void
}) {
  const id = useId()
  return (
    <fieldset class={`group${inline ? ' group-inline' : ''}`} aria-describedby={described(id, hint, problem)}>
      <legend>{legend}</legend>
      {hint && (
        <p class="hint" id={`${id}-hint`}>
          {hint}
        </p>
      )}
      {choices.map((choice) => (
        <div class="check" key={choice.value}>
          <input
            id={`${id}-${choice.value}`}
            type="radio"
            name={id}
            value={choice.value}
            checked={value === choice.value}
            aria-describedby={choice.hint ? `${id}-${choice.value}-hint` : undefined}
            onChange={() => onChange(choice.value)}
          />
          <label for={`${id}-${choice.value}`}>{choice.label}</label>
          {choice.hint && (
            <p class="hint" id={`${id}-${choice.value}-hint`}>
              {choice.hint}
            </p>
          )}
        </div>
      ))}
      {problem && (
        <p class="field-problem" id={`${id}-problem`} role="alert">
          <Icon name="octagon" size={16} />
          <span>{problem}</span>
        </p>
      )}
    </fieldset>
  )
}
