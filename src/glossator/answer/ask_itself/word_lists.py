"""The words by which a heading is told from a name, a task and a mere label."""

from __future__ import annotations

_LEANS = """
    here i it it's its let's me my our so that their them there these they this those us we we'll you
    you'll you're your yours
"""
_GENERIC = """
    case study helpful term library tool characteristic factor feature
    a about abstract acknowledgement acknowledgment activity additional advanced agenda also an and
    answer appendix assessment assignment author background basic bibliography challenge changelog
    chapter check checklist closing code coding common companion complete conclusion contact content
    contents course credit criteria curriculum deliverable demo demonstration detail discussion
    engineering example exercise expected experiment explanation extension faq feedback final first for
    foreword foundation full further future general get getting global glossary goal hand help history
    home homework implementation in index info information interactive intro introduction intuition key
    knowledge lab learning lesson licence license look mathematical milestone misc mistake module more
    motivation next note objective of on opening other our outcome outlook output overview part pitfall
    plan point practical practice preface prerequisite problem project question question's quick quiz
    reading recap reference related remark requirement resource result review roadmap schedule section
    see self setup simple solution start started step success summary support symptom table takeaway
    test the thing thought timeline tip to topic troubleshooting try up usage version visual walkthrough
    warning welcome what what's where go work worked wrap your yourself
"""
_SURELY_VERBS = """
    add adjust allow analyze apply avoid build calculate choose clone combine compare compile compute
    configure connect convert create customize debug declare define delete deploy describe detect
    disable download enable enforce ensure evaluate explore expose fetch find fix generate get handle
    implement import improve include initialize insert inspect install integrate invoke keep launch
    learn load make manage measure migrate modify move optimize organize parse prepare prevent provide
    publish read recover reduce refactor register remove rename replace resolve retrieve return run send
    serialize simulate solve specify split store subscribe switch train transform understand uninstall
    update upload use validate verify visualize write
"""
_PERHAPS_VERBS = """
    access call change check control design display document drive edit extend filter format group map
    merge mock monitor name open order pass plan plot process program query record report request reset
    search set show sort start stop style test trace track turn view work wrap
"""
_NOUNS_FIRST = """
    building_block building_blocks learning_path learning_rate operating_system operating_systems
    programming_language programming_languages string_theory use_case use_cases working_directory
"""
_NOT_GERUNDS = """
    anything being bring ceiling during evening everything existing following interesting king learning
    missing morning nothing remaining ring sibling siblings something spring string strings thing things
    upcoming
"""
_NO_SUBJECTS = """
    week day phase milestone
    above anything approach bad below biggest chapter common default default's easiest everyone
    everything figure following goal good great idea important key least line listing main most new next
    nobody note nothing now old once only part problem question recommended result result's section
    simplest someone something step table terminal thing tip today total typical warning
"""

LEANS = frozenset(_LEANS.split())
"""Words of a heading that lean on what stands before it."""
GENERIC = frozenset(_GENERIC.split())
"""Words of headings that any book has."""
SURELY_VERBS = frozenset(_SURELY_VERBS.split())
"""First words of a heading that tell what to do."""
PERHAPS_VERBS = frozenset(_PERHAPS_VERBS.split())
"""The same, before an article; elsewhere they name a thing."""
NOUNS_FIRST = frozenset(_NOUNS_FIRST.split())
"""Names that begin like something to do."""
NOT_GERUNDS = frozenset(_NOT_GERUNDS.split())
"""Words that only end like one."""
NO_SUBJECTS = frozenset(_NO_SUBJECTS.split())
"""Words of no term that a sentence defines."""
