"""Shows Strata's objects and collections in LLDB and in Xcode's variables view by what they hold, in the place of their fields in memory:

    (lldb) frame variable person people
    (PeopleModels.Person) person = Person #1 { age = 36, dogs = [Pet] of 1, email = "", fullName = "Ada Lovelace", nickname = nil }
    (Strata.Results<PeopleModels.Person>) people = Results<Person> of 1

Installed by one line in ~/.lldbinit, or typed at LLDB's prompt:

    command script import PATH/strata_lldb.py

The values of an object of a store are in its file, so that reading them calls the program's own `description`. While the thread is
inside of Strata itself, which may hold a lock, nothing is called, and an object shows its model and identity alone.
"""

import lldb

# Characters that a line of the variables view has use for.
LONGEST = 400
# Frames that are looked at for one of Strata's own.
DEEPEST = 64
# Classes between an object and the base of all of them.
MOST_BASES = 16
BASE = "Strata.Object"
COLLECTIONS = r"^Strata\.(Results|List|MutableSet|Map|LinkingObjects|Projection)<.+>$"


def base_of(type):
    """The type `Strata.Object` where it is one of the type's base classes; else None."""
    for _ in range(MOST_BASES):
        if type.GetName() == BASE:
            return type
        if type.GetNumberOfDirectBaseClasses() == 0:
            return None
        type = type.GetDirectBaseClassAtIndex(0).GetType()
    return None


def is_object(type, _):
    """What LLDB asks for each type: whether this file shows it."""
    return base_of(type) is not None


def is_inside_strata(thread):
    """Whether the thread stands in a call of Strata."""
    for index in range(min(thread.GetNumFrames(), DEEPEST)):
        name = thread.GetFrameAtIndex(index).GetFunctionName() or ""
        if name.startswith("Strata."):
            return True
    return False


def described(value, expression):
    """What the program makes of the Swift expression with `String(describing:)`, on one line; None where it cannot be asked."""
    frame = value.GetFrame()
    if not frame.IsValid() or is_inside_strata(frame.GetThread()):
        return None
    options = lldb.SBExpressionOptions()
    options.SetLanguage(lldb.eLanguageTypeSwift)
    options.SetTimeoutInMicroSeconds(2_000_000)
    options.SetIgnoreBreakpoints(True)
    options.SetSuppressPersistentResult(True)
    result = frame.EvaluateExpression("import Strata\nSwift.String(describing: %s)" % expression, options)
    text = result.GetSummary() if result.GetError().Success() else None
    return one_line(unquoted(text)) if text else None


def unquoted(text):
    """The content of a Swift string as LLDB writes it."""
    if len(text) >= 2 and text[0] == text[-1] == '"':
        text = text[1:-1]
    return text.replace('\\n', "\n").replace('\\"', '"').replace("\\\\", "\\")


def one_line(text):
    """The lines of a description behind each other, cut where they get too long."""
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    if len(lines) > 2:
        text = "%s %s %s" % (lines[0], ", ".join(lines[1:-1]), lines[-1])
    else:
        text = " ".join(lines)
    return text if len(text) <= LONGEST else text[:LONGEST] + " …"


def identity(value):
    """The model and the identity, read from memory alone."""
    name = value.GetType().GetName().rsplit(".", 1)[-1]
    fields = value
    for _ in range(MOST_BASES):
        row = fields.GetChildMemberWithName("givenRow")
        if row.IsValid():
            number = row.GetValueAsSigned(0)
            return "%s #%d" % (name, number) if number else name
        fields = fields.GetChildAtIndex(0)
    return name


def object_summary(value, _):
    """The line of an object."""
    address = value.GetValueAsUnsigned(0)
    if address == 0:
        return "nil"
    # By its address, because an element of an array has no name in Swift.
    found = described(value, "Swift.unsafeBitCast(%d as Swift.UInt, to: Strata.Object.self)" % address)
    return found or identity(value)


def collection_summary(value, _):
    """The line of a result, a list, a set, a map or a projection."""
    return described(value, value.path) or ""


def __lldb_init_module(debugger, _):
    run = debugger.HandleCommand
    run("type summary add --category strata --no-value --python-function strata_lldb.object_summary"
        " --recognizer-function strata_lldb.is_object")
    run("type summary add --category strata --no-value --python-function strata_lldb.collection_summary --regex '%s'" % COLLECTIONS)
    run("type category enable strata")
