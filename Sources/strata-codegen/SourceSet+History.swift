import StrataExpression
import StrataFrontend
import StrataSchema
import StrataSource

extension SourceSet { func history(reporting d: inout Diagnostics) -> History? { nil } }
