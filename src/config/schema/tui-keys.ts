// The `[tui]` table of the peer's terminal interface.
import {
  choice,
  decimal,
  eitherOf,
  type Field,
  flag,
  integer,
  type Kind,
  later,
  listOf,
  mapOf,
  text,
} from "./kind.ts";
import { filled, optional, required, table, withDefault } from "./table.ts";

/** One key or several; the terminal interface validates which keys exist. */
const binding: Kind<unknown> = eitherOf("KeybindingsSpec", text(), listOf(text()));

function actions(name: string, names: string): Field<unknown> {
  const fields = names
    .split(" ")
    .map((action) => [action, optional(binding, `Keys for ${action}.`)] as const);
  return filled(table(name, Object.fromEntries(fields)), "Keys by action.");
}

const keymap = later(() =>
  table("TuiKeymap", {
    global: actions(
      "TuiGlobalKeymap",
      "leader open_agents open_transcript find_transcript select_transcript focus_activity open_external_editor copy " +
        "clear_terminal submit queue toggle_shortcuts toggle_vim_mode toggle_fast_mode toggle_raw_output " +
        "toggle_side_conversation",
    ),
    chat: actions(
      "TuiChatKeymap",
      "open_presets toggle_voice toggle_voice_mute interrupt_turn decrease_reasoning_effort increase_reasoning_effort " +
        "previous_permission_mode next_permission_mode edit_queued_message prompt_stack_back skip_question",
    ),
    composer: actions(
      "TuiComposerKeymap",
      "submit queue toggle_shortcuts history_search_previous history_search_next",
    ),
    editor: actions(
      "TuiEditorKeymap",
      "insert_newline move_left move_right move_up move_down move_word_left move_word_right move_line_start " +
        "move_line_end delete_backward delete_forward delete_backward_word delete_forward_word kill_line_start " +
        "kill_whole_line kill_line_end yank",
    ),
    vim_normal: actions(
      "TuiVimNormalKeymap",
      "enter_insert append_after_cursor append_line_end insert_line_start open_line_below open_line_above " +
        "enter_replace_mode move_left move_right move_up move_down move_word_forward move_word_backward move_word_end " +
        "move_line_start move_line_end find_forward find_backward till_forward till_backward jump_top jump_bottom " +
        "delete_char replace_char repeat_last_change substitute_char delete_to_line_end change_to_line_end yank_line " +
        "paste_after start_delete_operator start_yank_operator start_change_operator undo redo cancel_operator",
    ),
    vim_operator: actions(
      "TuiVimOperatorKeymap",
      "delete_line yank_line motion_left motion_right motion_up motion_down motion_word_forward motion_word_backward " +
        "motion_word_end motion_line_start motion_line_end motion_find_forward motion_find_backward " +
        "motion_till_forward motion_till_backward motion_jump_top motion_jump_bottom select_inner_text_object " +
        "select_around_text_object cancel",
    ),
    vim_search: actions("TuiVimSearchKeymap", "forward backward next previous"),
    vim_text_object: actions(
      "TuiVimTextObjectKeymap",
      "word big_word parentheses brackets braces double_quote single_quote backtick cancel",
    ),
    pager: actions(
      "TuiPagerKeymap",
      "scroll_up scroll_down page_up page_down half_page_up half_page_down jump_top jump_bottom close " +
        "close_transcript find",
    ),
    list: actions(
      "TuiListKeymap",
      "move_up move_down move_left move_right page_up page_down jump_top jump_bottom accept cancel",
    ),
    agents: actions(
      "TuiAgentsKeymap",
      "resume search new_task new_worktree fork rename stop archive delete hide toggle_pin toggle_grouping",
    ),
    approval: actions(
      "TuiApprovalKeymap",
      "open_fullscreen open_thread approve approve_for_session approve_for_prefix deny decline cancel",
    ),
  }),
);

const on = (doc: string) => withDefault(flag(), true, doc);
const off = (doc: string) => withDefault(flag(), false, doc);

export const tui = later(() =>
  table("Tui", {
    notifications: withDefault(
      eitherOf("Notifications", flag(), listOf(text())),
      true,
      "Whether, or for which events, to notify.",
    ),
    notification_method: withDefault(choice(["auto", "osc9", "bel"]), "auto", "How to notify."),
    notification_condition: withDefault(choice(["unfocused", "always"]), "unfocused", "When to notify."),
    animations: on("Move things."),
    screen_reader_detection_done: optional(flag(), "Whether the detection of a screen reader has run."),
    effects: filled(
      table("TuiEffects", {
        starfield: on("Stars."),
        shimmer: on("Shimmering text."),
        welcome: on("Welcome animation."),
        effort: on("Effort animation."),
        progress: on("Progress animation."),
        title: on("Moving title."),
      }),
      "Which effects to show.",
    ),
    rendering: filled(
      table("TuiRendering", {
        mermaid: on("Draw diagrams."),
        math: on("Draw formulas."),
        tables: on("Draw tables."),
        lists: on("Draw lists."),
      }),
      "What to draw instead of its source.",
    ),
    show_tooltips: on("Show tips."),
    show_server_version_notice: on("Say when the server is older."),
    auto_recap: on("Recapitulate after a pause."),
    disable_paste_burst: optional(flag(), "Do not recognise pasted text by its speed."),
    vim_mode_default: off("Start in vim mode."),
    question_esc_back: on("Escape goes back in questions."),
    raw_output_mode: off("Show raw output."),
    fullscreen_transcript: on("Show the transcript on the whole screen."),
    mouse_scroll_speed: optional(decimal(), "Lines per step of the wheel."),
    copy_on_select: withDefault(choice(["auto", "always", "never"]), "auto", "Copy what is selected."),
    copy_on_select_clear_selection: off("Drop the selection after copying."),
    right_click_paste: withDefault(choice(["auto", "on", "off"]), "auto", "Paste on right click."),
    alternate_screen: withDefault(choice(["auto", "always", "never"]), "auto", "Use the alternate screen."),
    status_line: optional(listOf(text()), "Parts of the status line."),
    status_line_use_colors: on("Colour the status line."),
    terminal_title: optional(listOf(text()), "Parts of the window's title."),
    theme: optional(text(), "Theme."),
    pet: optional(text(), "Pet."),
    pet_anchor: withDefault(choice(["composer", "screen-bottom"]), "composer", "Where the pet sits."),
    session_picker_view: optional(choice(["comfortable", "dense"]), "How threads are listed."),
    agents_overview_grouping: withDefault(
      choice(["project", "status", "model"]),
      "project",
      "How agents are grouped.",
    ),
    resume_cwd: optional(choice(["current", "session"]), "Which folder a resumed thread uses."),
    keymap: filled(keymap, "Keys."),
    presets: withDefault(
      mapOf(table("TuiPreset", { input: required(text(), "Text to insert.") }, { lenient: true })),
      {},
      "Prepared inputs.",
    ),
    model_availability_nux: withDefault(
      table("ModelAvailabilityNuxConfig", {}, { rest: integer("u32") }),
      {},
      "Which introductions of models were seen.",
    ),
    terminal_resize_reflow_max_rows: optional(
      integer("usize"),
      "Rows that are laid out again after a resize.",
    ),
  }),
);
